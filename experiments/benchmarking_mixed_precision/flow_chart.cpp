#include "experiments/benchmarking_mixed_precision/flow_chart.h"

#include "document/charts/charts.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr int kRowHeight = 52;
constexpr int kTitleHeight = 40;
// In units of one row and of one column: the boxes, their gaps are the arrows.
constexpr double kHalfBox = 0.24;
constexpr double kHalfWidth = 0.3;

nlohmann::json coordinate(const char* field, double low, double high, bool upwards) {
  return {
      {"field", field},
      {"type", "quantitative"},
      {"scale", {{"domain", {low, high}}, {"nice", false}, {"zero", false}, {"reverse", upwards}}},
      {"axis", nullptr}};
}

nlohmann::json box_rows(const std::vector<Flow>& flows) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t column = 0; column < flows.size(); ++column) {
    const auto x = static_cast<double>(column);
    for (std::size_t row = 0; row < flows[column].modules.size(); ++row) {
      const auto y = static_cast<double>(row);
      rows.push_back({{"x", x},
                      {"y", y},
                      {"left", x - kHalfWidth},
                      {"right", x + kHalfWidth},
                      {"top", y - kHalfBox},
                      {"bottom", y + kHalfBox},
                      {"text", flows[column].modules[row]}});
    }
  }
  return rows;
}

nlohmann::json arrow_rows(const std::vector<Flow>& flows) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t column = 0; column < flows.size(); ++column) {
    for (std::size_t row = 0; row < flows[column].arrows.size(); ++row) {
      const auto y = static_cast<double>(row);
      rows.push_back({{"x", static_cast<double>(column)},
                      {"y", y + 0.5},
                      {"top", y + kHalfBox},
                      {"bottom", y + 1 - kHalfBox},
                      {"text", flows[column].arrows[row]}});
    }
  }
  return rows;
}

nlohmann::json title_rows(const std::vector<Flow>& flows) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t column = 0; column < flows.size(); ++column) {
    rows.push_back(
        {{"x", static_cast<double>(column)}, {"y", -0.62}, {"text", flows[column].title}});
  }
  return rows;
}

nlohmann::json layer(const nlohmann::json& rows, nlohmann::json mark, nlohmann::json encoding) {
  return {
      {"data", {{"values", rows}}}, {"mark", std::move(mark)}, {"encoding", std::move(encoding)}};
}

/// The colour that a precision has in every chart.
nlohmann::json dtype_colour() {
  nlohmann::json channel = colour_channel("text", {"FP32", "FP16", "BF16"});
  channel["scale"]["range"] = {series_style("fp32", 0).colour, series_style("fp16", 0).colour,
                               series_style("bf16", 0).colour};
  return channel;
}

}  // namespace

Flow flow_of(const Traced& traced, std::string_view precision, const std::string& title) {
  Flow flow{title, {"input"}, {traced.dtype(precision, metric::kInput, "x")}};
  for (const TracedDtype& module : traced.group(precision, metric::kOutput)) {
    flow.modules.push_back(module.name);
    flow.arrows.push_back(module.dtype);
  }
  flow.modules.emplace_back("cross-entropy");
  flow.arrows.push_back(traced.dtype(precision, metric::kLossValue, "cross-entropy"));
  flow.modules.emplace_back("loss");
  return flow;
}

nlohmann::json flow_chart(const std::vector<Flow>& flows) {
  std::size_t rows = 0;
  for (const Flow& flow : flows) rows = std::max(rows, flow.modules.size());
  const double columns = static_cast<double>(flows.size());
  const nlohmann::json x = coordinate("x", -0.5, columns - 0.5, false);
  const auto y = [&](const char* field) {
    return coordinate(field, -0.8, static_cast<double>(rows) - 0.6, true);
  };
  nlohmann::json left = x;
  left["field"] = "left";
  const nlohmann::json text = {{"field", "text"}};
  const nlohmann::json box = {{"type", "rect"},
                              {"fill", ink::kPaper},
                              {"stroke", ink::kAxis},
                              {"strokeWidth", 1},
                              {"cornerRadius", 4}};
  const nlohmann::json head = {{"type", "point"},
                               {"shape", "triangle-down"},
                               {"size", 30},
                               {"color", ink::kAxis},
                               {"yOffset", -3}};
  const nlohmann::json dtype = {
      {"type", "text"}, {"align", "left"}, {"dx", 8}, {"fontWeight", 600}};
  return {
      {"height", static_cast<int>(rows) * kRowHeight + kTitleHeight},
      {"layer",
       {layer(title_rows(flows), {{"type", "text"}, {"color", ink::kMuted}},
              {{"x", x}, {"y", y("y")}, {"text", text}}),
        layer(arrow_rows(flows), {{"type", "rule"}, {"color", ink::kAxis}},
              {{"x", x}, {"y", y("top")}, {"y2", {{"field", "bottom"}}}}),
        layer(arrow_rows(flows), head, {{"x", x}, {"y", y("bottom")}}),
        layer(arrow_rows(flows), dtype,
              {{"x", x}, {"y", y("y")}, {"text", text}, {"color", dtype_colour()}}),
        layer(box_rows(flows), box,
              {{"x", left},
               {"x2", {{"field", "right"}}},
               {"y", y("top")},
               {"y2", {{"field", "bottom"}}}}),
        layer(box_rows(flows), {{"type", "text"}}, {{"x", x}, {"y", y("y")}, {"text", text}})}}};
}

}  // namespace labreport::benchmarking_mixed_precision
