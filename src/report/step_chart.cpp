#include <algorithm>

#include "base/format.h"
#include "report/chart_forms.h"
#include "report/charts.h"

namespace labreport {
namespace {

using Json = nlohmann::json;

Json point_rows(const std::vector<Line>& lines) {
  Json rows = Json::array();
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      rows.push_back({{"label", line.label},
                      {"step", i + 1},
                      {"value", line.values[i]},
                      {"text", format_significant(line.values[i])}});
    }
  }
  return rows;
}

Json end_rows(const std::vector<Line>& lines) {
  Json rows = Json::array();
  for (const Line& line : lines) {
    if (line.values.empty()) continue;
    rows.push_back(
        {{"label", line.label}, {"step", line.values.size()}, {"value", line.values.back()}});
  }
  return rows;
}

Json step_axis(const std::vector<Line>& lines) {
  std::size_t last = 1;
  for (const Line& line : lines) last = std::max(last, line.values.size());
  Json ticks = Json::array();
  for (std::size_t step = 1; step <= last; ++step) ticks.push_back(step);
  Json x = linear_channel("step", "Step, counted from process start", "");
  x["scale"] = {{"domain", {0.5, static_cast<double>(last) + 0.5}}, {"nice", false}};
  x["axis"] = {{"values", ticks}, {"format", "d"}, {"grid", false}};
  return x;
}

Json shade_layers(int shaded, const std::string& text, const Json& x) {
  Json from = x;
  from["field"] = "from";
  const Json data = {{"values", {{{"from", 0.5}, {"to", shaded + 0.5}, {"text", text}}}}};
  const Json rect = {{"data", data},
                     {"mark", {{"type", "rect"}, {"color", ink::kGrid}, {"opacity", 0.5}}},
                     {"encoding", {{"x", from}, {"x2", {{"field", "to"}}}}}};
  const Json words = {
      {"data", data},
      {"mark",
       {{"type", "text"},
        {"align", "left"},
        {"baseline", "bottom"},
        {"dx", 1},
        {"dy", -4},
        {"color", ink::kMuted}}},
      {"encoding", {{"x", from}, {"y", {{"value", 0}}}, {"text", {{"field", "text"}}}}}};
  return Json::array({rect, words});
}

}  // namespace

Json step_chart(const StepChart& chart) {
  std::vector<std::string> labels;
  for (const Line& line : chart.lines) labels.push_back(line.label);
  const Json x = step_axis(chart.lines);
  const Json y = log_channel("value", chart.quantity.title, chart.quantity.unit, 12);
  const Json colour = colour_channel("label", labels);
  const Json tip =
      Json::array({{{"field", "label"}, {"type", "nominal"}, {"title", "size"}},
                   {{"field", "step"}, {"type", "quantitative"}, {"title", "step"}},
                   {{"field", "text"},
                    {"type", "nominal"},
                    {"title", axis_title(chart.quantity.title, chart.quantity.unit)}}});
  const Json lines = {
      {"data", {{"values", point_rows(chart.lines)}}},
      {"encoding", {{"x", x}, {"y", y}, {"color", colour}}},
      {"layer",
       {{{"mark", {{"type", "line"}}}},
        {{"mark", {{"type", "point"}, {"size", 34}}},
         {"encoding", {{"shape", shape_channel("label", labels)}, {"tooltip", tip}}}}}}};
  const Json names = {{"data", {{"values", end_rows(chart.lines)}}},
                      {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}}},
                      {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "label"}}}}}};
  Json layers = Json::array();
  if (chart.shaded > 0) layers = shade_layers(chart.shaded, chart.shade_text, x);
  layers.push_back(lines);
  layers.push_back(names);
  if (!chart.notes.empty()) {
    Json rows = Json::array();
    for (const Note& note : chart.notes) {
      rows.push_back({{"step", note.x}, {"value", note.y}, {"text", note.text}});
    }
    layers.push_back(
        {{"data", {{"values", rows}}},
         {"mark",
          {{"type", "text"}, {"align", "left"}, {"dx", 8}, {"dy", -2}, {"color", ink::kMuted}}},
         {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "text"}}}}}});
  }
  return {{"height", 340},
          {"padding", {{"left", 6}, {"top", 20}, {"right", 62}, {"bottom", 2}}},
          {"layer", layers}};
}

}  // namespace labreport
