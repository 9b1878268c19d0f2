#include "experiments/memory_profiling/allocation_chart.h"

#include <algorithm>

#include "base/format.h"
#include "experiments/memory_profiling/allocation_bins.h"
#include "report/charts.h"
#include "experiments/memory_profiling/timeline_axes.h"
#include "report/curve_marks.h"

namespace labreport::memory_profiling {
namespace {

using Json = nlohmann::json;

constexpr int kHeight = 380;
constexpr int kDetail = 60;
constexpr int kLeastDetail = 10;
constexpr const char* kBefore = "before the step";

/// The first row is no allocation: all that the step found there, whatever its size may be.
Json box_rows(const std::vector<Allocation>& allocations, const Bins& bins, const ByteUnit& unit) {
  Json rows = {{{"rank", 0},
                {"from", 0},
                {"to", bins.least.size()},
                {"made", -1},
                {"size", 0},
                {"category", kBefore},
                {"text", kBefore}}};
  int rank = 0;
  for (const Allocation& allocation : allocations) {
    const std::size_t from = bins.at(allocation.made);
    const std::size_t to =
        allocation.freed ? bins.at(*allocation.freed) : bins.least.size();
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

Json scaled(std::vector<double> values, double unit) {
  Json list = Json::array();
  for (const double value : values) list.push_back(rounded(value / unit));
  return list;
}

/// From a row an allocation to two points of its outline a bin, stacked anew for each setting.
/// What lies below is what the step found, as far as it is still there.
Json outlines() {
  return {{{"filter", "datum.rank <= detail"}},
          {{"calculate", "sequence(datum.from, datum.to)"}, {"as", "bin"}},
          {{"flatten", {"bin"}}},
          {{"stack", "size"},
           {"groupby", {"bin"}},
           {"sort", {{{"field", "made"}, {"order", "ascending"}}}},
           {"as", {"low", "high"}}},
          {{"joinaggregate", {{{"op", "sum"}, {"field", "size"}, {"as", "drawn"}}}},
           {"groupby", {"bin"}}},
          {{"calculate", "max(0, min(resident, least[datum.bin] - datum.drawn))"}, {"as", "base"}},
          {{"calculate", "datum.rank == 0 ? 0 : datum.base + datum.low"}, {"as", "bottom"}},
          {{"calculate", "datum.base + datum.high"}, {"as", "top"}},
          {{"calculate", "[bounds[datum.bin], bounds[datum.bin + 1]]"}, {"as", "event"}},
          {{"flatten", {"event"}}}};
}

Json silhouette(const Timeline& timeline, const ByteUnit& unit, const Json& x, const Json& y) {
  Json rows = Json::array();
  for (const Instant& instant : timeline.instants) {
    rows.push_back({{"event", instant.event}, {"top", rounded(instant.requested() / unit.bytes)}});
  }
  return {{"data", {{"values", rows}}},
          {"mark",
           {{"type", "area"}, {"interpolate", "step-after"}, {"color", ink::kAxis},
            {"opacity", 0.35}}},
          {"encoding", {{"x", x}, {"y", y}}}};
}

Json phase_bands(const Timeline& timeline, const Json& x) {
  std::vector<Band> bands;
  for (const Stretch& stretch : timeline.phases()) {
    bands.push_back({stretch.first->event, stretch.last->event, stretch.phase});
  }
  return band_layers(bands, x);
}

Json boxes(const Json& rows, const Json& x, const Json& y) {
  std::vector<std::string> labels;
  for (const Json& row : rows) {
    const std::string label = row["category"];
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  Json colour = colour_channel("category", labels);
  colour["legend"] = {{"orient", "top"}, {"title", nullptr},         {"symbolType", "square"},
                      {"columns", 5},    {"labelColor", ink::kText}, {"offset", 26}};
  return {{"name", kSeriesLayer},
          {"data", {{"values", rows}}},
          {"transform", outlines()},
          {"mark",
           {{"type", "area"}, {"stroke", ink::kPaper}, {"strokeWidth", 0.4}, {"opacity", 0.92}}},
          {"encoding",
           {{"x", x},
            {"y", y},
            {"y2", {{"field", "bottom"}}},
            {"color", colour},
            {"detail", {{"field", "rank"}}},
            {"tooltip", {{{"field", "text"}, {"type", "nominal"}, {"title", "allocation"}}}}}}};
}

Json settings(const Timeline& timeline, const Bins& bins, const ByteUnit& unit, std::size_t most) {
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

}  // namespace

Json allocation_chart(const Timeline& timeline, const std::vector<Allocation>& allocations) {
  const ByteUnit unit = byte_unit(timeline.peak().requested());
  const Bins bins = bins_of(timeline, allocations);
  const Json x = plain_axis("event", "Event of the allocator", "", bins.bounds.back());
  const Json y = memory_axis("top", unit, 1.03 * timeline.peak().requested() / unit.bytes);
  Json layers = phase_bands(timeline, x);
  layers.push_back(silhouette(timeline, unit, x, y));
  layers.push_back(boxes(box_rows(allocations, bins, unit), x, y));
  return {{"height", kHeight},
          {"padding", {{"left", 6}, {"top", 4}, {"right", 18}, {"bottom", 2}}},
          {"params", settings(timeline, bins, unit, allocations.size())},
          {"layer", layers}};
}

}  // namespace labreport::memory_profiling
