#include "document/charts/curve_marks.h"

#include <algorithm>
#include <cmath>

#include "document/charts/charts.h"

namespace labreport {
namespace {

constexpr double kLabelGap = 15;  // Pixels between two labels' middles.
constexpr double kFarthest = 1e300;

struct EndLabel {
  std::string text;
  double x;
  double place;  ///< On the y axis in the scale that is drawn: its logarithm on a log axis.
};

/// Moved apart where curves end close together: from the lowest up, then back below the top.
void spread(std::vector<EndLabel>& labels, double gap, double top) {
  std::ranges::sort(labels, {}, &EndLabel::place);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    labels[i].place = std::max(labels[i].place, labels[i - 1].place + gap);
  }
  for (std::size_t i = labels.size(); i-- > 0;) {
    labels[i].place = std::min(labels[i].place, top);
    top = labels[i].place - gap;
  }
}

std::vector<EndLabel> end_labels(const CurveChart& chart, double rightmost) {
  std::vector<EndLabel> labels;
  for (const Curve& curve : chart.curves) {
    for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point) {
      if (!drawable(chart.x, point->first) || !drawable(chart.y, point->second)) continue;
      const double place = chart.y.log ? std::log10(point->second) : point->second;
      labels.push_back({curve.label, rightmost, place});
      break;
    }
  }
  return labels;
}

}  // namespace

bool drawable(const CurveAxis& axis, double value) {
  return std::isfinite(value) && std::abs(value) < kFarthest && (!axis.log || value > 0);
}

nlohmann::json label_rows(const CurveChart& chart, const Extent& x, const Extent& y,
                          int plot_height) {
  std::vector<EndLabel> labels = end_labels(chart, x.high);
  const double range = chart.y.log ? std::log10(y.high / y.low) : y.high - y.low;
  spread(labels, range * kLabelGap / plot_height, chart.y.log ? std::log10(y.high) : y.high);
  nlohmann::json rows = nlohmann::json::array();
  for (const EndLabel& label : labels) {
    const double value = chart.y.log ? std::pow(10.0, label.place) : label.place;
    rows.push_back({{"label", label.text}, {"x", label.x}, {"y", value}});
  }
  return rows;
}

nlohmann::json band_layers(const std::vector<Band>& bands, const nlohmann::json& x) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Band& band : bands) {
    // Neighbours' words stand at two heights: a narrow band is shorter than its word.
    const double rise = rows.size() % 2 == 0 ? -4 : -17;
    rows.push_back({{"from", band.from}, {"to", band.to}, {"text", band.text}, {"rise", rise}});
  }
  nlohmann::json from = x;
  from["field"] = "from";
  const nlohmann::json data = {{"values", rows}};
  const nlohmann::json rect = {{"data", data},
                               {"mark",
                                {{"type", "rect"},
                                 {"fill", ink::kGrid},
                                 {"fillOpacity", 0.6},
                                 {"stroke", ink::kAxis},
                                 {"strokeWidth", 0.5}}},
                               {"encoding", {{"x", from}, {"x2", {{"field", "to"}}}}}};
  const nlohmann::json mark = {{"type", "text"},
                               {"align", "left"},
                               {"baseline", "bottom"},
                               {"dx", 1},
                               {"dy", {{"expr", "datum.rise"}}},
                               {"color", ink::kMuted}};
  const nlohmann::json words = {
      {"name", kWideOnly + std::string("-bands")},
      {"data", data},
      {"mark", mark},
      {"encoding", {{"x", from}, {"y", {{"value", 0}}}, {"text", {{"field", "text"}}}}}};
  return nlohmann::json::array({rect, words});
}

}  // namespace labreport
