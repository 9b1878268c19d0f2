#include "experiments/memory_profiling/lifetimes.h"

#include <algorithm>
#include <limits>

#include "document/peaks.h"
#include "results/module_path.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kMaxBoxes = 100;  // The figure lets a reader ask for at most this many.
constexpr std::size_t kMaxKinds = 20;
constexpr double kNearlyFlat = 0.2;  // A step adding at most this share of its peak cuts the axis.

struct Box {
  int rank = 0;
  std::size_t first_bin = 0, end_bin = 0;  ///< The box ends where `end_bin` begins.
  double made_event = 0, bytes = 0;
  std::string category = {}, text = {};
};

/// Makes a box for each allocation. The box of rank 0 is the memory from before the step.
Dataset boxes_data(const std::vector<Allocation>& allocations, const Bins& bins,
                   const ByteUnit& unit) {
  std::vector<Box> boxes{{.end_bin = bins.least_bytes.size(),
                          .made_event = -1,
                          .category = "before the step",
                          .text = "before the step"}};
  for (const Allocation& allocation : allocations) {
    const std::size_t first_bin = bins.index_of(allocation.made_event);
    const std::size_t end_bin =
        allocation.freed_event ? bins.index_of(*allocation.freed_event) : bins.least_bytes.size();
    boxes.push_back(
        {.rank = static_cast<int>(boxes.size()),
         .first_bin = first_bin,
         .end_bin = std::max(end_bin, first_bin + 1),
         .made_event = allocation.made_event,
         .bytes = allocation.bytes,
         .category = category_words(allocation.category),
         .text = format_bytes(allocation.bytes) + ", " +
                 maker_words(allocation.outer_op, allocation.module, allocation.inner_op)});
  }
  const std::vector<Column<Box>> columns{{"rank", "Rank", &Box::rank},
                                         {"from", "From", &Box::first_bin},
                                         {"to", "To", &Box::end_bin},
                                         {"made", "Made", &Box::made_event},
                                         bytes_column<Box>("size", "Size", &Box::bytes, unit),
                                         {"category", "Category", &Box::category},
                                         {"text", "Allocation", &Box::text}};
  return make_dataset("lifetimes", columns, boxes);
}

Dataset bins_data(const Bins& bins, const Timeline& timeline, const ByteUnit& unit) {
  std::vector<std::size_t> indices(bins.least_bytes.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  const double resident_bytes = timeline.instants.front().requested_bytes();
  const auto least_bytes = [bins](std::size_t bin) {
    return std::isfinite(bins.least_bytes[bin]) ? std::optional(bins.least_bytes[bin])
                                                : std::nullopt;
  };
  const std::vector<Column<std::size_t>> columns{
      {"bin", "Bin", [](std::size_t bin) { return bin; }},
      {"begin", "Begins", [bins](std::size_t bin) { return bins.bounds[bin]; }},
      {"end", "Ends", [bins](std::size_t bin) { return bins.bounds[bin + 1]; }},
      bytes_column<std::size_t>("least", "Least", least_bytes, unit),
      bytes_column<std::size_t>(
          "resident", "Before the step", [=](std::size_t) { return resident_bytes; }, unit)};
  return make_dataset("lifetime-bins", columns, indices);
}

/// Allocations of one size, maker and freeing phase: a network repeats them in every layer.
struct Kind {
  Allocation first;
  std::size_t count = 1;
};

std::vector<Kind> kinds_of(const std::vector<Allocation>& allocations) {
  std::vector<Kind> kinds;
  for (const Allocation& allocation : allocations) {
    const auto known = std::ranges::find_if(kinds, [&](const Kind& kind) {
      return same_maker(kind.first, allocation) && kind.first.bytes == allocation.bytes &&
             kind.first.freed_phase == allocation.freed_phase;
    });
    if (known == kinds.end())
      kinds.push_back({allocation});
    else
      ++known->count;
  }
  kinds.resize(std::min(kinds.size(), kMaxKinds));
  return kinds;
}

Dataset kinds_data(const std::vector<Kind>& kinds) {
  const std::vector<Column<Kind>> columns{
      bytes_column<Kind>(
          "size", "Size", [](const Kind& kind) { return kind.first.bytes; },
          byte_unit(kinds.front().first.bytes)),
      {"count", "Count", &Kind::count, "", {Notation::kCount}},
      {"category", "Category",
       [](const Kind& kind) { return category_words(kind.first.category); }},
      {"maker", "Made by",
       [](const Kind& kind) {
         const std::string& module = kind.first.module;
         return maker_words(kind.first.outer_op, kind.count > 1 ? without_layer(module) : module,
                            kind.first.inner_op);
       }},
      {"made", "Made in", [](const Kind& kind) { return kind.first.made_phase; }},
      {"freed", "Freed in", [](const Kind& kind) {
         return kind.first.freed_event ? kind.first.freed_phase : "alive at the end";
       }}};
  return make_dataset("lifetime-kinds", columns, kinds);
}

}  // namespace

std::size_t Bins::index_of(double event) const {
  const auto next = std::ranges::upper_bound(bounds, event);
  return next == bounds.begin() ? 0 : static_cast<std::size_t>(next - bounds.begin()) - 1;
}

Bins bins_of(const Timeline& timeline, const std::vector<Allocation>& allocations) {
  const double first_event = timeline.instants.front().event;
  const double last_event = std::max(timeline.instants.back().event, first_event + 1);
  Bins bins{{first_event, last_event}, {}};
  for (const Allocation& allocation : allocations) {
    bins.bounds.push_back(std::clamp(allocation.made_event, first_event, last_event));
    bins.bounds.push_back(
        std::clamp(allocation.freed_event.value_or(last_event), first_event, last_event));
  }
  std::ranges::sort(bins.bounds);
  const auto duplicates = std::ranges::unique(bins.bounds);
  bins.bounds.erase(duplicates.begin(), duplicates.end());
  bins.least_bytes.assign(bins.bounds.size() - 1, std::numeric_limits<double>::infinity());
  for (const Instant& instant : timeline.instants) {
    double& least_bytes =
        bins.least_bytes[std::min(bins.index_of(instant.event), bins.least_bytes.size() - 1)];
    least_bytes = std::min(least_bytes, instant.requested_bytes());
  }
  return bins;
}

double axis_begin_bytes(const Timeline& timeline) {
  const double before = timeline.instants.front().requested_bytes();
  const double peak = timeline.peak().requested_bytes();
  return peak - before > kNearlyFlat * peak ? 0 : std::max(0.0, before - (peak - before) / 4);
}

std::vector<Dataset> lifetime_datasets(const Timeline& timeline,
                                       const std::vector<Allocation>& allocations,
                                       const ByteUnit& unit) {
  if (allocations.empty()) return {};
  std::vector<Allocation> largest = allocations;
  largest.resize(std::min(largest.size(), kMaxBoxes));
  const Bins bins = bins_of(timeline, largest);
  return {boxes_data(largest, bins, unit), bins_data(bins, timeline, unit),
          kinds_data(kinds_of(allocations))};
}

}  // namespace labreport::memory_profiling
