#include "experiments/memory_profiling/timeline_chart.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "experiments/memory_profiling/timeline_notes.h"

namespace labreport::memory_profiling {
namespace {

constexpr int kChartHeight = 400;
constexpr int kWholePanel = 110;  // Where what matters is drawn again below, larger.
constexpr int kZoomedPanel = 230;
constexpr double kFlatShare = 0.2;    // Of the peak: a curve that moves less is drawn twice.
constexpr std::size_t kPointed = 90;  // Points with a tooltip.

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

using Columns = std::vector<std::size_t>;

nlohmann::json rows_of(const TimelineChart& chart, const Columns& columns, const ByteUnit& unit) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Instant& instant : chart.timeline.instants) {
    nlohmann::json row{{"event", instant.event},
                       {"sum", rounded(instant.requested() / unit.bytes)},
                       {"phase", instant.phase}};
    for (const std::size_t c : columns) row[key(c)] = rounded(instant.bytes[c] / unit.bytes);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// From a column a category to a row a category, in the order of stacking.
nlohmann::json unfolded(const Columns& columns) {
  nlohmann::json keys = nlohmann::json::array();
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

nlohmann::json areas(const Columns& columns, const nlohmann::json& x, const nlohmann::json& y) {
  std::vector<std::string> labels;
  for (const std::size_t c : columns) labels.emplace_back(categories()[c].words);
  nlohmann::json part = y;
  part["field"] = "part";
  part["stack"] = "zero";
  return {{"name", kSeriesLayer},
          {"transform", unfolded(columns)},
          {"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"opacity", 0.92}}},
          {"encoding",
           {{"x", x},
            {"y", part},
            {"color", legend_colour("category", labels, kCategoryLegend)},
            {"order", {{"field", "order"}}}}}};
}

/// Points that say their numbers when pointed at; each is an element of the page, so not all are.
nlohmann::json pointed_at(const TimelineChart& chart, const nlohmann::json& x, nlohmann::json y,
                          const ByteUnit& unit) {
  nlohmann::json rows = nlohmann::json::array();
  const auto& instants = chart.timeline.instants;
  for (std::size_t i = 0; i < instants.size(); i += instants.size() / kPointed + 1) {
    rows.push_back({{"event", instants[i].event},
                    {"ms", rounded(instants[i].ms)},
                    {"phase", instants[i].phase},
                    {"sum", rounded(instants[i].requested() / unit.bytes)},
                    {"all", rounded(instants[i].allocated / unit.bytes)}});
  }
  const auto tip = [](const char* field, const std::string& title, const char* type) {
    return nlohmann::json{{"field", field}, {"type", type}, {"title", title}};
  };
  const std::string in = std::string(" (") + unit.name + ")";
  return {{"data", {{"values", rows}}},
          {"mark", {{"type", "point"}, {"size", 60}, {"opacity", 0}}},
          {"encoding",
           {{"x", x},
            {"y", std::move(y)},
            {"tooltip",
             {tip("ms", "time (ms)", "quantitative"), tip("phase", "phase", "nominal"),
              tip("sum", "requested" + in, "quantitative"),
              tip("all", "allocated" + in, "quantitative")}}}}};
}

nlohmann::json layers_of(const TimelineChart& chart, const Columns& columns,
                         const ChartFrame& frame, nlohmann::json more) {
  const nlohmann::json x = plain_axis("event", "Event of the allocator", "", frame.last);
  const nlohmann::json y = memory_axis("sum", frame.unit, frame.highest);
  nlohmann::json layers = phase_bands(chart.timeline, x);
  layers.push_back(areas(columns, x, y));
  layers.push_back(pointed_at(chart, x, y, frame.unit));
  layers.push_back(category_names(chart, frame, x, y));
  for (nlohmann::json& note : more) layers.push_back(std::move(note));
  return layers;
}

nlohmann::json panel(const TimelineChart& chart, const Columns& columns, bool noted) {
  const ChartFrame frame = frame_of(chart);
  nlohmann::json more = noted ? notes(chart, frame) : nlohmann::json::array();
  return {{"data", {{"values", rows_of(chart, columns, frame.unit)}}},
          {"layer", layers_of(chart, columns, frame, std::move(more))}};
}

/// The same without what each category holds throughout.
TimelineChart moving_part(TimelineChart chart) {
  auto& instants = chart.timeline.instants;
  Instant least = instants.front();
  for (const Instant& instant : instants) {
    for (std::size_t c = 0; c < least.bytes.size(); ++c) {
      least.bytes[c] = std::min(least.bytes[c], instant.bytes[c]);
    }
  }
  for (Instant& instant : instants) {
    for (std::size_t c = 0; c < least.bytes.size(); ++c) instant.bytes[c] -= least.bytes[c];
  }
  chart.capacity = 0;
  return chart;
}

double least_requested(const Timeline& timeline) {
  return std::ranges::min_element(timeline.instants, {}, &Instant::requested)->requested();
}

}  // namespace

nlohmann::json timeline_chart(const TimelineChart& chart) {
  const nlohmann::json padding = {{"left", 6}, {"top", 4}, {"right", 18}, {"bottom", 2}};
  const Columns columns = shown(chart.timeline);  // Alike in both panels: one key serves them.
  const double peak = chart.timeline.peak().requested();
  if (peak - least_requested(chart.timeline) > kFlatShare * peak) {
    nlohmann::json spec = panel(chart, columns, true);
    spec["height"] = kChartHeight;
    spec["padding"] = padding;
    return spec;
  }
  nlohmann::json whole = panel(chart, columns, false);
  whole["height"] = kWholePanel;
  for (nlohmann::json& layer : whole["layer"]) {
    if (layer["encoding"].contains("x")) layer["encoding"]["x"]["title"] = nullptr;
  }
  nlohmann::json zoomed = panel(moving_part(chart), columns, true);
  zoomed["height"] = kZoomedPanel;
  zoomed["title"] = {{"text", "Without what is held throughout"}, {"offset", 30}};
  return {{"padding", padding}, {"vconcat", {whole, zoomed}}};
}

}  // namespace labreport::memory_profiling
