#include "document/charts/curve_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "document/charts/charts.h"
#include "document/charts/curve_marks.h"
#include "document/charts/xml_text.h"

namespace labreport {
namespace {

constexpr int kLabelExtent = 34;  // Alike in all panels, so that they stand one below the other.
constexpr int kCurveAxisHeight = 75;

std::vector<std::string> labels_of(const CurveChart& chart) {
  std::vector<std::string> labels;
  for (const Curve& curve : chart.curves) labels.push_back(curve.label);
  return labels;
}

nlohmann::json rows_of(const CurveChart& chart) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Curve& curve : chart.curves) {
    for (const auto& [x, y] : curve.points) {
      if (!drawable(chart.x, x) || !drawable(chart.y, y)) continue;
      rows.push_back({{"label", curve.label}, {"x", x}, {"y", y}, {"text", format_significant(y)}});
    }
  }
  return rows;
}

Extent extent_of(const nlohmann::json& rows, const char* field) {
  Extent extent;
  for (const nlohmann::json& row : rows) extent.widen(row[field].get<double>());
  return extent;
}

/// Vega's expression for the label of a tick by its place among the ticks.
std::string label_expression(const CurveAxis& axis) {
  std::string expression;
  for (std::size_t i = 0; i < axis.tick_labels.size(); ++i) {
    expression += fmt::format("abs(datum.value / {} - 1) < 1e-6 ? {} : ", axis.ticks[i],
                              expression_text(axis.tick_labels[i]));
  }
  return expression + "''";
}

nlohmann::json channel(const char* field, const CurveAxis& axis, const Extent& extent) {
  const Quantity& quantity = axis.quantity;
  nlohmann::json channel = axis.log ? log_channel(field, quantity.title, quantity.unit)
                                    : linear_channel(field, quantity.title, quantity.unit);
  channel["scale"]["nice"] = false;
  if (!axis.log) channel["scale"]["zero"] = false;
  if (extent.low < extent.high) channel["scale"]["domain"] = {extent.low, extent.high};
  if (!axis.ticks.empty()) channel["axis"]["values"] = axis.ticks;
  if (!axis.format.empty()) channel["axis"]["format"] = axis.format;
  if (!axis.tick_labels.empty()) channel["axis"]["labelExpr"] = label_expression(axis);
  channel["axis"]["labelOverlap"] = true;
  return channel;
}

nlohmann::json narrow_margins() { return {{"left", 6}, {"top", 6}, {"right", 12}, {"bottom", 2}}; }

nlohmann::json dash_channel(const std::vector<std::string>& labels) {
  return {{"field", "label"},
          {"type", "nominal"},
          {"scale", series_scale("strokeDash", labels)},
          {"legend", nullptr}};
}

nlohmann::json tooltips(const CurveChart& chart) {
  const auto title = [](const Quantity& of) { return axis_title(of.title, of.unit); };
  return nlohmann::json::array(
      {{{"field", "label"}, {"type", "nominal"}, {"title", "curve"}},
       {{"field", "x"}, {"type", "quantitative"}, {"title", title(chart.x.quantity)}},
       {{"field", "text"}, {"type", "nominal"}, {"title", title(chart.y.quantity)}}});
}

nlohmann::json curve_layer(const CurveChart& chart, const nlohmann::json& rows,
                           const nlohmann::json& x, const nlohmann::json& y) {
  const std::vector<std::string> labels = labels_of(chart);
  nlohmann::json layers = nlohmann::json::array(
      {{{"mark", {{"type", "line"}}}, {"encoding", {{"strokeDash", dash_channel(labels)}}}}});
  const nlohmann::json point = {
      {"type", "point"}, {"size", chart.dots ? 46 : 20}, {"opacity", chart.dots ? 1 : 0}};
  nlohmann::json seen = {{"tooltip", tooltips(chart)}};
  if (chart.dots) seen["shape"] = shape_channel("label", labels);
  layers.push_back({{"mark", point}, {"encoding", seen}});
  nlohmann::json layer = {
      {"data", {{"values", rows}}},
      {"encoding", {{"x", x}, {"y", y}, {"color", colour_channel("label", labels)}}},
      {"layer", layers}};
  // A single curve without a name needs no key.
  if (labels != std::vector<std::string>{""}) layer["name"] = kSeriesLayer;
  return layer;
}

nlohmann::json layers_of(const CurveChart& chart, int plot_height) {
  const nlohmann::json rows = rows_of(chart);
  Extent across = extent_of(rows, "x");
  Extent up = extent_of(rows, "y");
  if (chart.y.domain) up = {chart.y.domain->first, chart.y.domain->second};
  for (const Band& band : chart.bands) across.widen(band.from), across.widen(band.to);
  const nlohmann::json x = channel("x", chart.x, across);
  nlohmann::json y = channel("y", chart.y, up);
  y["axis"]["minExtent"] = kLabelExtent;
  nlohmann::json layers =
      chart.bands.empty() ? nlohmann::json::array() : band_layers(chart.bands, x);
  layers.push_back(curve_layer(chart, rows, x, y));
  layers.push_back({{"name", kWideOnly + std::string("-labels")},
                    {"data", {{"values", label_rows(chart, across, up, plot_height)}}},
                    {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 8}}},
                    {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "label"}}}}}});
  return layers;
}

nlohmann::json titled(nlohmann::json view, const std::string& title) {
  if (!title.empty()) view["title"] = {{"text", title}, {"offset", 30}};
  return view;
}

}  // namespace

void tick_decades(CurveAxis& axis, int low, int high) {
  for (int exponent = low; exponent <= high; ++exponent) {
    const double value = std::pow(10.0, exponent);
    axis.ticks.push_back(value);
    axis.tick_labels.push_back(exponent < -2 ? "10" + superscript(exponent)
                                             : format_significant(value, 1));
  }
}

nlohmann::json curve_chart(const CurveChart& chart) {
  const nlohmann::json padding = {
      {"left", 6}, {"top", 32}, {"right", chart.label_room}, {"bottom", 2}};
  return titled({{"height", chart.height},
                 {"padding", padding},
                 {kNarrowPadding, narrow_margins()},
                 {"layer", layers_of(chart, chart.height - kCurveAxisHeight)}},
                chart.title);
}

nlohmann::json curve_panels(const std::vector<CurveChart>& charts) {
  nlohmann::json panels = nlohmann::json::array();
  int room = 0;
  for (const CurveChart& chart : charts) {
    panels.push_back(
        titled({{"height", chart.height}, {"layer", layers_of(chart, chart.height)}}, chart.title));
    room = std::max(room, chart.label_room);
  }
  return {{"padding", {{"left", 6}, {"top", 6}, {"right", room}, {"bottom", 2}}},
          {kNarrowPadding, narrow_margins()},
          {"vconcat", panels}};
}

}  // namespace labreport
