#include "experiments/memory_profiling/peak_chart.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/common/legend.h"
#include "experiments/memory_profiling/timeline_axes.h"

namespace labreport::memory_profiling {
namespace {

constexpr int kLane = 19;
constexpr int kGap = 12;
constexpr int kAround = 92;  // Legend and axis.
constexpr LegendLayout kLegend{.columns = 5};
constexpr int kLongestLabel = 230;
constexpr double kVisible = 0.05;     // Of the capacity: a shorter bar could not be read.
constexpr double kMargin = 1.02;      // Of the axis beyond the capacity's line,
constexpr double kWordsMargin = 1.2;  // and beyond the longest bar with its words.

nlohmann::json bar_rows(const PeakChart& chart, const ByteUnit& unit) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PeakBar& bar : chart.bars) {
    rows.push_back({{"group", bar.group},
                    {"series", bar.series},
                    {"value", bar.bytes / unit.bytes},
                    {"text", format_bytes(bar.bytes)}});
  }
  return rows;
}

nlohmann::json gap_rows(const PeakChart& chart) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PeakGap& gap : chart.gaps) {
    rows.push_back(
        {{"group", gap.group}, {"series", gap.series}, {"value", 0}, {"text", gap.reason}});
  }
  return rows;
}

double largest_bar(const PeakChart& chart) {
  double most = 0;
  for (const PeakBar& bar : chart.bars) most = std::max(most, bar.bytes);
  return most;
}

/// Refused steps came near it, whatever the bars that are left.
bool draws_capacity(const PeakChart& chart) {
  return chart.capacity > 0 &&
         (!chart.gaps.empty() || largest_bar(chart) >= kVisible * chart.capacity);
}

nlohmann::json capacity_layers(double capacity, nlohmann::json x) {
  const nlohmann::json data = {
      {"values", {{{"value", capacity}, {"text", "what the device has"}}}}};
  return {{{"data", data},
           {"mark", {{"type", "rule"}, {"color", ink::kAxis}, {"strokeDash", {6, 3}}}},
           {"encoding", {{"x", x}}}},
          {{"name", kWideOnly},
           {"data", data},
           {"mark", {{"type", "text"}, {"align", "right"}, {"dx", -5}, {"color", ink::kMuted}}},
           {"encoding", {{"x", x}, {"y", {{"value", 8}}}, {"text", {{"field", "text"}}}}}}};
}

}  // namespace

nlohmann::json peak_chart(const PeakChart& chart) {
  std::vector<std::string> groups;
  const double most = std::max(largest_bar(chart), draws_capacity(chart) ? chart.capacity : 0);
  for (const PeakBar& bar : chart.bars) add_once(groups, bar.group);
  for (const PeakGap& gap : chart.gaps) add_once(groups, gap.group);
  const ByteUnit unit = byte_unit(most);
  nlohmann::json x =
      plain_axis("value", "Peak of allocated memory", unit.name,
                 (draws_capacity(chart) ? kMargin : kWordsMargin) * most / unit.bytes);
  nlohmann::json y = category_channel("group", groups);
  y["title"] = chart.rows;
  y["scale"] = {{"domain", groups}, {"paddingInner", 0.22}, {"paddingOuter", 0.12}};
  y["axis"] = {{"grid", false},
               {"labelFontSize", 13},
               {"labelColor", ink::kText},
               {"labelLimit", kLongestLabel},
               {"minExtent", label_room(groups)}};
  const nlohmann::json lane = {{"field", "series"},
                               {"type", "nominal"},
                               {"sort", chart.series},
                               {"scale", {{"domain", chart.series}}}};
  const nlohmann::json bars = {
      {"name", kSeriesLayer},
      {"data", {{"values", bar_rows(chart, unit)}}},
      {"mark", {{"type", "bar"}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"yOffset", lane},
        {"color", legend_colour("series", chart.series, kLegend)},
        {"tooltip", {{{"field", "text"}, {"type", "nominal"}, {"title", "peak"}}}}}}};
  const auto words = [&](nlohmann::json rows, const nlohmann::json& style) {
    nlohmann::json mark{{"type", "text"}, {"align", "left"}, {"dx", 5}};
    mark.update(style);
    return nlohmann::json{
        {"data", {{"values", std::move(rows)}}},
        {"mark", mark},
        {"encoding", {{"x", x}, {"y", y}, {"yOffset", lane}, {"text", {{"field", "text"}}}}}};
  };
  nlohmann::json layers = {
      bars, words(bar_rows(chart, unit), nlohmann::json::object()),
      words(gap_rows(chart), {{"fontStyle", "italic"}, {"color", ink::kMuted}})};
  if (draws_capacity(chart)) {
    for (nlohmann::json& layer : capacity_layers(chart.capacity / unit.bytes, x))
      layers.push_back(layer);
  }
  const int row = static_cast<int>(chart.series.size()) * kLane + kGap;
  return {{"height", static_cast<int>(groups.size()) * row + kAround},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 20}, {"bottom", 2}}},
          {"layer", layers}};
}

std::string capacity_words(const PeakChart& chart) {
  if (chart.capacity <= 0 || draws_capacity(chart)) return "";
  return " The device has " + format_bytes(chart.capacity) + ", far beyond the axis.";
}

nlohmann::json ranked_chart(const Quantity& quantity, const std::vector<RankedBar>& bars) {
  nlohmann::json rows = nlohmann::json::array();
  std::vector<std::string> labels;
  std::vector<std::string> kinds;
  double most = 0;
  for (const RankedBar& bar : bars) {
    labels.push_back(bar.label);
    add_once(kinds, bar.kind);
    most = std::max(most, bar.value);
    rows.push_back({{"label", bar.label},
                    {"value", bar.value},
                    {"text", bar.text},
                    {"short", bar.short_text},
                    {"kind", bar.kind}});
  }
  // The longest bar leaves room for its words.
  const nlohmann::json x =
      plain_axis("value", quantity.title.c_str(), quantity.unit.c_str(), 1.35 * most);
  nlohmann::json y = category_channel("label", labels);
  y["scale"] = {{"domain", labels}, {"padding", 0.2}};
  y["axis"] = {{"grid", false},
               {"labelLimit", kLongestLabel},
               {"labelColor", ink::kText},
               {"minExtent", label_room(labels)}};
  const nlohmann::json place = {{"x", x}, {"y", y}};
  nlohmann::json coloured = place;
  coloured["color"] = legend_colour("kind", kinds, kLegend);
  coloured["tooltip"] = {{{"field", "label"}, {"type", "nominal"}, {"title", "where"}},
                         {{"field", "text"}, {"type", "nominal"}, {"title", "size"}}};
  const auto beside = [&place](const char* width, const char* field) {
    nlohmann::json encoding = place;
    encoding["text"] = {{"field", field}};
    return nlohmann::json{{"name", width},
                          {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 5}}},
                          {"encoding", encoding}};
  };
  return {{"height", static_cast<int>(bars.size()) * 24 + kAround},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 20}, {"bottom", 2}}},
          {"data", {{"values", rows}}},
          {"layer",
           {{{"name", kSeriesLayer}, {"mark", {{"type", "bar"}}}, {"encoding", coloured}},
            beside(kWideOnly, "text"),
            beside(kNarrowOnly, "short")}}};
}

}  // namespace labreport::memory_profiling
