#include <algorithm>

#include "base/format.h"
#include "document/charts/chart_forms.h"
#include "document/charts/charts.h"

namespace labreport {
namespace {

nlohmann::json point_rows(const std::vector<Line>& lines) {
  nlohmann::json rows = nlohmann::json::array();
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

nlohmann::json end_rows(const std::vector<Line>& lines) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Line& line : lines) {
    if (line.values.empty()) continue;
    rows.push_back(
        {{"label", line.label}, {"step", line.values.size()}, {"value", line.values.back()}});
  }
  return rows;
}

nlohmann::json step_axis(const std::vector<Line>& lines) {
  std::size_t last = 1;
  for (const Line& line : lines) last = std::max(last, line.values.size());
  nlohmann::json ticks = nlohmann::json::array();
  for (std::size_t step = 1; step <= last; ++step) ticks.push_back(step);
  nlohmann::json x = linear_channel("step", "Step, counted from process start", "");
  x["scale"] = {{"domain", {0.5, static_cast<double>(last) + 0.5}}, {"nice", false}};
  x["axis"] = {{"values", ticks}, {"format", "d"}, {"grid", false}};
  return x;
}

nlohmann::json shade_layers(int shaded, const std::string& text, const nlohmann::json& x) {
  nlohmann::json from = x;
  from["field"] = "from";
  const nlohmann::json data = {{"values", {{{"from", 0.5}, {"to", shaded + 0.5}, {"text", text}}}}};
  const nlohmann::json rect = {
      {"data", data},
      {"mark", {{"type", "rect"}, {"color", ink::kGrid}, {"opacity", 0.5}}},
      {"encoding", {{"x", from}, {"x2", {{"field", "to"}}}}}};
  const nlohmann::json words = {
      {"data", data},
      {"mark",
       {{"type", "text"},
        {"align", "left"},
        {"baseline", "bottom"},
        {"dx", 1},
        {"dy", -4},
        {"color", ink::kMuted}}},
      {"encoding", {{"x", from}, {"y", {{"value", 0}}}, {"text", {{"field", "text"}}}}}};
  return nlohmann::json::array({rect, words});
}

}  // namespace

nlohmann::json step_chart(const StepChart& chart) {
  std::vector<std::string> labels;
  for (const Line& line : chart.lines) labels.push_back(line.label);
  const nlohmann::json x = step_axis(chart.lines);
  const nlohmann::json y = log_channel("value", chart.quantity.title, chart.quantity.unit, 12);
  const nlohmann::json colour = colour_channel("label", labels);
  const nlohmann::json tip =
      nlohmann::json::array({{{"field", "label"}, {"type", "nominal"}, {"title", "size"}},
                             {{"field", "step"}, {"type", "quantitative"}, {"title", "step"}},
                             {{"field", "text"},
                              {"type", "nominal"},
                              {"title", axis_title(chart.quantity.title, chart.quantity.unit)}}});
  const nlohmann::json lines = {
      {"data", {{"values", point_rows(chart.lines)}}},
      {"encoding", {{"x", x}, {"y", y}, {"color", colour}}},
      {"layer",
       {{{"mark", {{"type", "line"}}}},
        {{"mark", {{"type", "point"}, {"size", 34}}},
         {"encoding", {{"shape", shape_channel("label", labels)}, {"tooltip", tip}}}}}}};
  const nlohmann::json names = {{"data", {{"values", end_rows(chart.lines)}}},
                                {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 9}}},
                                {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "label"}}}}}};
  nlohmann::json layers = nlohmann::json::array();
  if (chart.shaded > 0) layers = shade_layers(chart.shaded, chart.shade_text, x);
  layers.push_back(lines);
  layers.push_back(names);
  if (!chart.notes.empty()) {
    nlohmann::json rows = nlohmann::json::array();
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
