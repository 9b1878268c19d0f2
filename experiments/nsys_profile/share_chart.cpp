#include "experiments/nsys_profile/share_chart.h"

#include <algorithm>

#include "base/format.h"
#include "document/charts/charts.h"
#include "experiments/common/legend.h"

namespace labreport::nsys_profile {
namespace {

constexpr int kBar = 24;
constexpr int kAround = 96;  // Legend and axis.
constexpr LegendLayout kLegend{.columns = 4};
constexpr double kRoomForNumber = 6;  // In per cent of a wide bar.

nlohmann::json bar_rows(const std::vector<Share>& shares) {
  nlohmann::json rows = nlohmann::json::array();
  std::string group;
  double end = 0;
  for (const Share& share : shares) {
    if (share.group != group) end = 0;
    group = share.group;
    const double start = end;
    end += 100 * share.share;
    rows.push_back({{"group", share.group},
                    {"part", share.part},
                    {"start", start},
                    {"end", end},
                    {"middle", (start + end) / 2},
                    {"text", format_percent(share.share)}});
  }
  return rows;
}

nlohmann::json tip(const char* field, const char* title) {
  return {{"field", field}, {"type", "nominal"}, {"title", title}};
}

}  // namespace

nlohmann::json share_chart(const std::vector<Share>& shares) {
  std::vector<std::string> groups;
  std::vector<std::string> parts;
  for (const Share& share : shares) add_once(groups, share.group), add_once(parts, share.part);
  nlohmann::json y = category_channel("group", groups);
  y["scale"] = {{"domain", groups}, {"padding", 0.18}};
  y["axis"] = {{"grid", false}, {"labelLimit", 220}, {"minExtent", label_room(groups)}};
  nlohmann::json x = linear_channel("start", "Share of GPU time", "%");
  x["scale"] = {{"domain", {0, 100}}, {"nice", false}};
  nlohmann::json middle = x;
  middle["field"] = "middle";
  const nlohmann::json bars = {
      {"name", kSeriesLayer},
      {"mark", {{"type", "bar"}, {"stroke", ink::kPaper}, {"strokeWidth", 1}}},
      {"encoding",
       {{"x", x},
        {"x2", {{"field", "end"}}},
        {"y", y},
        {"color", legend_colour("part", parts, kLegend)},
        {"tooltip", {tip("group", "pass"), tip("part", "class"), tip("text", "%")}}}}};
  const auto numbers = [&](const char* name, double room) {
    return nlohmann::json{
        {"name", name},
        {"transform", {{{"filter", "datum.end - datum.start >= " + std::to_string(room)}}}},
        {"mark", {{"type", "text"}, {"fontSize", 11}}},
        {"encoding",
         {{"x", middle},
          {"y", y},
          {"text", {{"field", "text"}}},
          {"color", {{"value", ink::kPaper}}}}}};
  };
  return {{"height", static_cast<int>(groups.size()) * kBar + kAround},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 16}, {"bottom", 2}}},
          {"data", {{"values", bar_rows(shares)}}},
          {"layer",
           {bars, numbers(kWideOnly, kRoomForNumber), numbers(kNarrowOnly, 3 * kRoomForNumber)}}};
}

nlohmann::json time_axis_chart(const std::vector<Stretch>& stretches) {
  std::vector<std::string> lanes;
  std::vector<std::string> kinds;
  nlohmann::json rows = nlohmann::json::array();
  double last = 0;
  for (const Stretch& stretch : stretches) {
    add_once(lanes, stretch.lane);
    add_once(kinds, stretch.kind);
    last = std::max(last, stretch.end);
    rows.push_back({{"lane", stretch.lane},
                    {"kind", stretch.kind},
                    {"kernel", stretch.text},
                    {"start", stretch.start},
                    {"end", stretch.end},
                    {"text", format_significant(stretch.end - stretch.start)}});
  }
  nlohmann::json y = category_channel("lane", lanes);
  y["scale"] = {{"domain", lanes}, {"padding", 0.2}};
  y["axis"] = {{"grid", true}, {"labelLimit", 220}, {"minExtent", label_room(lanes)}};
  nlohmann::json x = linear_channel("start", "Time from the first kernel's start", "µs");
  x["scale"] = {{"domain", {0, last}}, {"nice", false}};
  x["axis"] = {{"tickCount", 7}, {"labelOverlap", true}};
  const nlohmann::json bars = {
      {"name", kSeriesLayer},
      {"mark", {{"type", "bar"}}},
      {"encoding",
       {{"x", x},
        {"x2", {{"field", "end"}}},
        {"y", y},
        {"color", legend_colour("kind", kinds, kLegend)},
        {"tooltip", {tip("kernel", "kernel"), tip("kind", "class"), tip("text", "µs")}}}}};
  return {{"height", static_cast<int>(lanes.size()) * kBar + kAround},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 16}, {"bottom", 2}}},
          {"data", {{"values", rows}}},
          {"layer", nlohmann::json::array({bars})}};
}

}  // namespace labreport::nsys_profile
