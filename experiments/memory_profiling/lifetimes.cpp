#include "experiments/memory_profiling/lifetimes.h"

#include <algorithm>
#include <limits>

#include "document/peaks.h"
#include "results/module_path.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kMostBoxes = 100;  // A reader of the figure can ask for at most this many.
constexpr std::size_t kListedKinds = 20;
constexpr double kNearlyFlat = 0.2;  // The axis is cut if a step adds up to this share of its peak.

struct Box {
  int rank = 0;
  std::size_t from = 0, to = 0;  ///< Indices of bins; the box ends where bin `to` begins.
  double made = 0, bytes = 0;
  std::string category = {}, text = {};
};

/// Rank 0 is no allocation but the memory from before the step, whose bytes are in "lifetime-bins".
Dataset boxes_data(const std::vector<Allocation>& allocations, const Bins& bins,
                   const ByteUnit& unit) {
  std::vector<Box> boxes{{.to = bins.least.size(),
                          .made = -1,
                          .category = "before the step",
                          .text = "before the step"}};
  for (const Allocation& one : allocations) {
    const std::size_t from = bins.at(one.made);
    const std::size_t to = one.freed ? bins.at(*one.freed) : bins.least.size();
    boxes.push_back(
        {.rank = static_cast<int>(boxes.size()),
         .from = from,
         .to = std::max(to, from + 1),
         .made = one.made,
         .bytes = one.bytes,
         .category = category_words(one.category),
         .text = format_bytes(one.bytes) + ", " + made_by(one.operation, one.module, one.op)});
  }
  const std::vector<Column<Box>> columns{{"rank", "Rank", &Box::rank},
                                         {"from", "From", &Box::from},
                                         {"to", "To", &Box::to},
                                         {"made", "Made", &Box::made},
                                         bytes_column<Box>("size", "Size", &Box::bytes, unit),
                                         {"category", "Category", &Box::category},
                                         {"text", "Allocation", &Box::text}};
  return make_dataset("lifetimes", columns, boxes);
}

Dataset bins_data(const Bins& bins, const Timeline& timeline, const ByteUnit& unit) {
  std::vector<std::size_t> rows(bins.least.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const double resident = timeline.instants.front().requested();
  const auto least = [bins](std::size_t bin) {
    return std::isfinite(bins.least[bin]) ? std::optional(bins.least[bin]) : std::nullopt;
  };
  const std::vector<Column<std::size_t>> columns{
      {"bin", "Bin", [](std::size_t bin) { return bin; }},
      {"begin", "Begins", [bins](std::size_t bin) { return bins.bounds[bin]; }},
      {"end", "Ends", [bins](std::size_t bin) { return bins.bounds[bin + 1]; }},
      bytes_column<std::size_t>("least", "Least", least, unit),
      bytes_column<std::size_t>(
          "resident", "Before the step", [=](std::size_t) { return resident; }, unit)};
  return make_dataset("lifetime-bins", columns, rows);
}

/// Allocations that are alike except for the layer: a network repeats them in every layer.
struct Kind {
  Allocation first;
  std::size_t count = 1;
};

std::vector<Kind> kinds_of(const std::vector<Allocation>& allocations) {
  std::vector<Kind> kinds;
  for (const Allocation& one : allocations) {
    const auto same = std::ranges::find_if(kinds, [&](const Kind& kind) {
      return same_kind(kind.first, one) && kind.first.bytes == one.bytes &&
             kind.first.freed_phase == one.freed_phase;
    });
    same == kinds.end() ? kinds.push_back({one}) : void(++same->count);
  }
  kinds.resize(std::min(kinds.size(), kListedKinds));
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
         return made_by(kind.first.operation, kind.count > 1 ? without_layer(module) : module,
                        kind.first.op);
       }},
      {"made", "Made in", [](const Kind& kind) { return kind.first.phase; }},
      {"freed", "Freed in", [](const Kind& kind) {
         return kind.first.freed ? kind.first.freed_phase : "alive at the end";
       }}};
  return make_dataset("lifetime-kinds", columns, kinds);
}

}  // namespace

std::size_t Bins::at(double event) const {
  const auto next = std::ranges::upper_bound(bounds, event);
  return next == bounds.begin() ? 0 : static_cast<std::size_t>(next - bounds.begin()) - 1;
}

Bins bins_of(const Timeline& timeline, const std::vector<Allocation>& allocations) {
  const double first = timeline.instants.front().event;
  const double last = std::max(timeline.instants.back().event, first + 1);
  Bins bins{{first, last}, {}};
  for (const Allocation& allocation : allocations) {
    bins.bounds.push_back(std::clamp(allocation.made, first, last));
    bins.bounds.push_back(std::clamp(allocation.freed.value_or(last), first, last));
  }
  std::ranges::sort(bins.bounds);
  const auto same = std::ranges::unique(bins.bounds);
  bins.bounds.erase(same.begin(), same.end());
  bins.least.assign(bins.bounds.size() - 1, std::numeric_limits<double>::infinity());
  for (const Instant& instant : timeline.instants) {
    double& least = bins.least[std::min(bins.at(instant.event), bins.least.size() - 1)];
    least = std::min(least, instant.requested());
  }
  return bins;
}

double axis_begin(const Timeline& timeline) {
  const double before = timeline.instants.front().requested();
  const double peak = timeline.peak().requested();
  return peak - before > kNearlyFlat * peak ? 0 : std::max(0.0, before - (peak - before) / 4);
}

std::vector<Dataset> lifetimes(const Timeline& timeline, const std::vector<Allocation>& allocations,
                               const ByteUnit& unit) {
  if (allocations.empty()) return {};
  std::vector<Allocation> largest = allocations;
  largest.resize(std::min(largest.size(), kMostBoxes));
  const Bins bins = bins_of(timeline, largest);
  return {boxes_data(largest, bins, unit), bins_data(bins, timeline, unit),
          kinds_data(kinds_of(allocations))};
}

}  // namespace labreport::memory_profiling
