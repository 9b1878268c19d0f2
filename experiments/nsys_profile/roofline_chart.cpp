#include "experiments/nsys_profile/roofline_chart.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/format.h"
#include "document/charts/charts.h"

namespace labreport::nsys_profile {
namespace {

constexpr int kHeight = 340;
constexpr double kTeraRate = 1e12;
constexpr double kMargin = 2.5;  // Beyond the outermost point, as a factor.
constexpr double kName = 8;      // As a factor along the axis: what a name beside its point takes.

struct Extent {
  double left, right, bottom, top;
};

Extent extent_of(const Roofline& roofline) {
  const double ridge = roofline.matrix_rate / roofline.bandwidth;
  Extent extent{ridge, ridge, roofline.matrix_rate, roofline.matrix_rate};
  for (const RooflinePoint& point : roofline.points) {
    extent.left = std::min(extent.left, point.intensity);
    extent.right = std::max(extent.right, point.intensity);
    extent.bottom = std::min(extent.bottom, point.rate);
    extent.top = std::max(extent.top, point.rate);
  }
  return {extent.left / kMargin, extent.right * kName, extent.bottom / kMargin,
          extent.top * kMargin};
}

nlohmann::json channel(const char* field, const char* title, const char* unit, double low,
                       double high) {
  nlohmann::json channel = log_channel(field, title, unit);
  channel["scale"]["domain"] = {low, high};
  channel["axis"] = {{"format", ",~r"}, {"labelOverlap", true}, {"tickCount", 5}};
  return channel;
}

constexpr double kMark = 2.5;  // Likewise, where a mark would lie under the name.
constexpr int kLine = 15;
constexpr int kBeside = 10;
constexpr int kUnderRoof = 9;

/// Where a point's name stands: left of it where another mark lies on the right.
struct NamePlace {
  bool left = false;
  int below = 0;  ///< Pixels, so that names of points close together can be read.
};

class NamePlaces {
 public:
  NamePlaces(const Roofline& roofline, const Extent& extent)
      : points_(roofline.points),
        extent_(extent),
        roof_(height(roofline.matrix_rate)),
        places_(points_.size()) {
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return height(i); });
    for (std::size_t i = 0; i < order.size(); ++i) place(order[i], {order.begin(), i});
  }

  const NamePlace& operator[](std::size_t i) const { return places_[i]; }

 private:
  int height(double rate) const {
    const double decades = std::log10(extent_.top / extent_.bottom);
    return static_cast<int>(kHeight * std::log10(extent_.top / rate) / decades);
  }
  int height(std::size_t i) const { return height(points_[i].rate); }

  bool crowded_on_the_right(std::size_t own) const {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double further = points_[i].intensity / points_[own].intensity;
      const bool level = std::abs(height(i) - height(own)) < kLine;
      if (further > 1 && further < kMark && level) return true;
    }
    return false;
  }

  bool overlap(std::size_t a, std::size_t b) const {
    const double apart = points_[a].intensity / points_[b].intensity;
    return places_[a].left == places_[b].left && apart < kName && 1 / apart < kName;
  }

  void place(std::size_t own, std::span<const std::size_t> above) {
    places_[own].left = crowded_on_the_right(own);
    int line = height(own);
    if (line >= roof_) line = std::max(line, roof_ + kUnderRoof);  // else the roof strikes it out
    for (const std::size_t other : above) {
      if (overlap(own, other)) line = std::max(line, height(other) + places_[other].below + kLine);
    }
    places_[own].below = line - height(own);
  }

  const std::vector<RooflinePoint>& points_;
  const Extent& extent_;
  int roof_;
  std::vector<NamePlace> places_;
};

nlohmann::json point_rows(const Roofline& roofline, const Extent& extent) {
  nlohmann::json rows = nlohmann::json::array();
  const NamePlaces places(roofline, extent);
  for (std::size_t i = 0; i < roofline.points.size(); ++i) {
    const RooflinePoint& point = roofline.points[i];
    if (point.intensity <= 0 || point.rate <= 0) continue;
    rows.push_back({{"label", point.label},
                    {"x", point.intensity},
                    {"y", point.rate / kTeraRate},
                    {"align", places[i].left ? "right" : "left"},
                    {"dx", places[i].left ? -kBeside : kBeside},
                    {"dy", places[i].below},
                    {"text", format_significant(point.rate / kTeraRate, 3)}});
  }
  return rows;
}

nlohmann::json roof_rows(const Roofline& roofline, const Extent& extent) {
  const double ridge = roofline.matrix_rate / roofline.bandwidth;
  nlohmann::json rows = nlohmann::json::array();
  for (const double x : {extent.left, ridge, extent.right}) {
    const double y = std::min(roofline.matrix_rate, roofline.bandwidth * x);
    rows.push_back({{"x", x}, {"y", y / kTeraRate}});
  }
  return rows;
}

}  // namespace

nlohmann::json roofline_chart(const Roofline& roofline) {
  const Extent extent = extent_of(roofline);
  const nlohmann::json x =
      channel("x", "Arithmetic intensity", "FLOP/B", extent.left, extent.right);
  const nlohmann::json y =
      channel("y", "Attained rate", "TFLOP/s", extent.bottom / kTeraRate, extent.top / kTeraRate);
  const nlohmann::json roof = {{"data", {{"values", roof_rows(roofline, extent)}}},
                               {"mark", {{"type", "line"}, {"color", ink::kAxis}, {"clip", true}}},
                               {"encoding", {{"x", x}, {"y", y}}}};
  const std::string words = roofline.precision + " " +
                            format_significant(roofline.matrix_rate / kTeraRate, 3) + " TFLOP/s, " +
                            format_significant(roofline.bandwidth / kTeraRate, 3) + " TB/s";
  // Towards the left from the roof's end: there is room for it in a narrow chart too.
  const nlohmann::json name = {
      {"data",
       {{"values",
         {{{"x", extent.right}, {"y", roofline.matrix_rate / kTeraRate}, {"text", words}}}}}},
      {"mark",
       {{"type", "text"}, {"align", "right"}, {"dx", -4}, {"dy", -9}, {"color", ink::kMuted}}},
      {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "text"}}}}}};
  std::vector<std::string> labels;
  for (const RooflinePoint& point : roofline.points) labels.push_back(point.label);
  const nlohmann::json place = {{"x", x}, {"y", y}, {"color", colour_channel("label", labels)}};
  nlohmann::json dots = place;
  dots["shape"] = shape_channel("label", labels);
  dots["tooltip"] = {{{"field", "label"}, {"type", "nominal"}, {"title", "stage"}},
                     {{"field", "text"}, {"type", "nominal"}, {"title", "TFLOP/s"}}};
  nlohmann::json text = place;
  text["text"] = {{"field", "label"}};
  const nlohmann::json data = {{"values", point_rows(roofline, extent)}};
  const nlohmann::json points = {{"name", kSeriesLayer},
                                 {"data", data},
                                 {"mark", {{"type", "point"}, {"size", 80}}},
                                 {"encoding", dots}};
  const nlohmann::json names = {{"name", kWideOnly},
                                {"data", data},
                                {"mark",
                                 {{"type", "text"},
                                  {"align", {{"expr", "datum.align"}}},
                                  {"dx", {{"expr", "datum.dx"}}},
                                  {"dy", {{"expr", "datum.dy"}}}}},
                                {"encoding", text}};
  return {{"height", kHeight},
          {"padding", {{"left", 6}, {"top", 10}, {"right", 10}, {"bottom", 2}}},
          {"layer", {roof, name, points, names}}};
}

}  // namespace labreport::nsys_profile
