#include "experiments/memory_profiling/timeline_chart.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "experiments/memory_profiling/timeline_notes.h"

namespace labreport::memory_profiling {
namespace {

using Json = nlohmann::json;

constexpr int kHeight = 400;

/// A column's key in the rows: rows are many, words are long.
std::string key(std::size_t category) { return std::string(1, static_cast<char>('a' + category)); }

/// Categories that some instant has bytes of.
std::vector<std::size_t> shown(const Timeline& timeline) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < categories().size(); ++c) {
    const bool any = std::ranges::any_of(
        timeline.instants, [c](const Instant& instant) { return instant.bytes[c] > 0; });
    if (any) found.push_back(c);
  }
  return found;
}

Json rows_of(const TimelineChart& chart, const ByteUnit& unit) {
  const std::vector<std::size_t> columns = shown(chart.timeline);
  Json rows = Json::array();
  for (const Instant& instant : chart.timeline.instants) {
    Json row{{"t", rounded(instant.ms)},
             {"all", rounded(instant.allocated / unit.bytes)},
             {"sum", rounded(instant.requested() / unit.bytes)},
             {"phase", instant.phase}};
    for (const std::size_t c : columns) row[key(c)] = rounded(instant.bytes[c] / unit.bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// From a column a category to a row a category, in the order of stacking.
Json unfolded(const std::vector<std::size_t>& columns) {
  Json keys = Json::array();
  std::string names = "{";
  std::string order = "{";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = key(columns[i]);
    keys.push_back(name);
    names += (i > 0 ? "," : "") + name + ":'" + std::string(categories()[columns[i]].words) + "'";
    order += (i > 0 ? "," : "") + name + ":" + std::to_string(i);
  }
  return {{{"fold", keys}, {"as", {"key", "part"}}},
          {{"calculate", "(" + names + "})[datum.key]"}, {"as", "category"}},
          {{"calculate", "(" + order + "})[datum.key]"}, {"as", "order"}}};
}

Json areas(const TimelineChart& chart, const Json& x, const Json& y) {
  const std::vector<std::size_t> columns = shown(chart.timeline);
  std::vector<std::string> labels;
  for (const std::size_t c : columns) labels.emplace_back(categories()[c].words);
  Json colour = colour_channel("category", labels);
  colour["legend"] = {{"orient", "top"}, {"title", nullptr},         {"symbolType", "square"},
                      {"columns", 5},    {"labelColor", ink::kText}, {"offset", 26}};
  Json part = y;
  part["field"] = "part";
  part["stack"] = "zero";
  return {{"name", kSeriesLayer},
          {"transform", unfolded(columns)},
          {"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"opacity", 0.92}}},
          {"encoding",
           {{"x", x}, {"y", part}, {"color", colour}, {"order", {{"field", "order"}}}}}};
}

Json allocated_line(const Json& x, Json y) {
  y["field"] = "all";
  return {{"mark",
           {{"type", "line"},
            {"interpolate", "step-after"},
            {"strokeDash", {3, 2}},
            {"strokeWidth", 1},
            {"color", ink::kText}}},
          {"encoding", {{"x", x}, {"y", y}}}};
}

Json pointed_at(const Json& x, Json y, const ByteUnit& unit) {
  y["field"] = "sum";
  const auto tip = [](const char* field, const std::string& title, const char* type) {
    return Json{{"field", field}, {"type", type}, {"title", title}};
  };
  const std::string in = std::string(" (") + unit.name + ")";
  return {{"mark", {{"type", "point"}, {"size", 30}, {"opacity", 0}}},
          {"encoding",
           {{"x", x},
            {"y", y},
            {"tooltip",
             {tip("t", "time (ms)", "quantitative"), tip("phase", "phase", "nominal"),
              tip("sum", "requested" + in, "quantitative"),
              tip("all", "allocated" + in, "quantitative")}}}}};
}

}  // namespace

Json timeline_chart(const TimelineChart& chart) {
  const ChartFrame frame = frame_of(chart);
  const Json x = plain_axis("t", "Time from the step's start, by the host's clock", "ms",
                            frame.last);
  const Json y = memory_axis("sum", frame.unit, frame.highest);
  Json layers = phase_bands(chart.timeline, x);
  layers.push_back(areas(chart, x, y));
  layers.push_back(allocated_line(x, y));
  layers.push_back(pointed_at(x, y, frame.unit));
  for (Json& note : notes(chart, frame, x, y)) layers.push_back(std::move(note));
  return {{"height", kHeight},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 18}, {"bottom", 2}}},
          {"data", {{"values", rows_of(chart, frame.unit)}}},
          {"layer", layers}};
}

}  // namespace labreport::memory_profiling
