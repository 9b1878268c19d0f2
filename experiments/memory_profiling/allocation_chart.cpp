#include "experiments/memory_profiling/allocation_chart.h"

#include <algorithm>

#include "base/format.h"
#include "document/charts/curve_marks.h"
#include "experiments/memory_profiling/allocation_bins.h"
#include "experiments/memory_profiling/timeline_axes.h"

namespace labreport::memory_profiling {
namespace {

constexpr int kHeight = 380;
constexpr int kDetail = 40;
constexpr std::size_t kMost = 100;
constexpr double kFlat = 0.2;  // Of the peak: boxes that take less are drawn on a cut axis.
constexpr int kLeastDetail = 10;
constexpr const char* kBefore = "before the step";

/// The first row is no allocation: all that the step found there, whatever its size may be.
nlohmann::json box_rows(const std::vector<Allocation>& allocations, const Bins& bins,
                        const ByteUnit& unit) {
  nlohmann::json rows = {{{"rank", 0},
                          {"from", 0},
                          {"to", bins.least.size()},
                          {"made", -1},
                          {"size", 0},
                          {"category", kBefore},
                          {"text", kBefore}}};
  int rank = 0;
  for (const Allocation& allocation : allocations) {
    const std::size_t from = bins.at(allocation.made);
    const std::size_t to = allocation.freed ? bins.at(*allocation.freed) : bins.least.size();
    rows.push_back({{"rank", ++rank},
                    {"from", from},
                    {"to", std::max(to, from + 1)},
                    {"made", allocation.made},
                    {"size", rounded(allocation.bytes / unit.bytes)},
                    {"category", category_words(allocation.category)},
                    {"text", format_bytes(allocation.bytes) + ", " +
                                 where(allocation.operation, allocation.module, allocation.op)}});
  }
  return rows;
}

nlohmann::json scaled(const std::vector<double>& values, double unit) {
  nlohmann::json list = nlohmann::json::array();
  for (const double value : values) {
    list.push_back(std::isfinite(value) ? nlohmann::json(rounded(value / unit)) : nlohmann::json());
  }
  return list;
}

/// From a row an allocation to two points of its outline a bin, stacked anew for each setting.
/// What lies below is what the step found, as far as it is still there: it never grows, and is no
/// more than the curve leaves for it.
nlohmann::json outlines() {
  return {{{"filter", "datum.rank <= detail"}},
          {{"calculate", "sequence(datum.from, datum.to)"}, {"as", "bin"}},
          {{"flatten", {"bin"}}},
          {{"stack", "size"},
           {"groupby", {"bin"}},
           {"sort", {{{"field", "made"}, {"order", "ascending"}}}},
           {"as", {"low", "high"}}},
          {{"joinaggregate", {{{"op", "sum"}, {"field", "size"}, {"as", "drawn"}}}},
           {"groupby", {"bin"}}},
          {{"calculate",
            "least[datum.bin] == null ? resident : max(0, least[datum.bin] - datum.drawn)"},
           {"as", "left"}},
          {{"window", {{{"op", "min"}, {"field", "left"}, {"as", "lower"}}}},
           {"sort", {{{"field", "bin"}, {"order", "ascending"}}}},
           {"frame", {nullptr, 0}}},
          {{"calculate", "min(resident, datum.lower)"}, {"as", "base"}},
          {{"calculate", "datum.rank == 0 ? 0 : datum.base + datum.low"}, {"as", "bottom"}},
          {{"calculate", "datum.base + datum.high"}, {"as", "top"}},
          {{"calculate", "[bounds[datum.bin], bounds[datum.bin + 1]]"}, {"as", "event"}},
          {{"flatten", {"event"}}}};
}

nlohmann::json silhouette(const Timeline& timeline, const ByteUnit& unit, const nlohmann::json& x,
                          const nlohmann::json& y) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Instant& instant : timeline.instants) {
    rows.push_back({{"event", instant.event}, {"top", rounded(instant.requested() / unit.bytes)}});
  }
  return {{"data", {{"values", rows}}},
          {"mark",
           {{"type", "area"},
            {"interpolate", "step-after"},
            {"color", ink::kAxis},
            {"opacity", 0.35},
            {"clip", true}}},
          {"encoding", {{"x", x}, {"y", y}}}};
}

nlohmann::json allocation_bands(const Timeline& timeline, const nlohmann::json& x) {
  std::vector<Band> bands;
  for (const Stretch& stretch : timeline.phases()) {
    bands.push_back({stretch.first->event, stretch.last->event, stretch.phase});
  }
  return band_layers(bands, x);
}

nlohmann::json boxes(const nlohmann::json& rows, const nlohmann::json& x, const nlohmann::json& y) {
  std::vector<std::string> labels;
  for (const nlohmann::json& row : rows) {
    add_once(labels, row["category"]);
  }
  return {{"name", kSeriesLayer},
          {"data", {{"values", rows}}},
          {"transform", outlines()},
          {"mark",
           {{"type", "area"},
            {"stroke", ink::kPaper},
            {"strokeWidth", 0.25},
            {"opacity", 0.92},
            {"clip", true}}},
          {"encoding",
           {{"x", x},
            {"y", y},
            {"y2", {{"field", "bottom"}}},
            {"color", legend_colour("category", labels, kCategoryLegend)},
            {"detail", {{"field", "rank"}}},
            {"tooltip", {{{"field", "text"}, {"type", "nominal"}, {"title", "allocation"}}}}}}};
}

nlohmann::json settings(const Timeline& timeline, const Bins& bins, const ByteUnit& unit,
                        std::size_t most) {
  const int last = std::max(static_cast<int>(most), kLeastDetail);
  return {{{"name", "detail"},
           {"value", std::min(kDetail, last)},
           {"bind",
            {{"input", "range"},
             {"name", "Detail: largest allocations drawn singly "},
             {"min", std::min(kLeastDetail, last)},
             {"max", last},
             {"step", 5}}}},
          {{"name", "bounds"}, {"value", bins.bounds}},
          {{"name", "least"}, {"value", scaled(bins.least, unit.bytes)}},
          {{"name", "resident"},
           {"value", rounded(timeline.instants.front().requested() / unit.bytes)}}};
}

/// The largest by size times life.
std::vector<Allocation> drawn(const Timeline& timeline, std::vector<Allocation> allocations) {
  const double last = timeline.instants.back().event;
  std::ranges::stable_sort(allocations, std::greater(), [last](const Allocation& one) {
    return one.bytes * (one.freed.value_or(last) - one.made);
  });
  allocations.resize(std::min(allocations.size(), kMost));
  return allocations;
}

}  // namespace

double axis_begin(const Timeline& timeline) {
  const double before = timeline.instants.front().requested();
  const double peak = timeline.peak().requested();
  return peak - before > kFlat * peak ? 0 : std::max(0.0, before - (peak - before) / 4);
}

nlohmann::json allocation_chart(const Timeline& timeline,
                                const std::vector<Allocation>& allocations) {
  const ByteUnit unit = byte_unit(timeline.peak().requested());
  const std::vector<Allocation> largest = drawn(timeline, allocations);
  const Bins bins = bins_of(timeline, largest);
  const nlohmann::json x = plain_axis("event", "Event of the allocator", "", bins.bounds.back());
  const double low = axis_begin(timeline) / unit.bytes;
  const double high = timeline.peak().requested() / unit.bytes;
  nlohmann::json y = memory_axis("top", unit, high + 0.03 * (high - low));
  y["scale"]["domain"][0] = low;
  nlohmann::json layers = allocation_bands(timeline, x);
  layers.push_back(silhouette(timeline, unit, x, y));
  layers.push_back(boxes(box_rows(largest, bins, unit), x, y));
  return {{"height", kHeight},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 18}, {"bottom", 2}}},
          {"params", settings(timeline, bins, unit, largest.size())},
          {"layer", layers}};
}

}  // namespace labreport::memory_profiling
