// A step's largest allocations one by one.
#include <algorithm>

#include "experiments/memory_profiling/allocation_chart.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/timeline_figures.h"
#include "results/module_path.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kListed = 20;

struct Kind {
  const Allocation* first;
  std::int64_t count = 1;
};

/// Allocations of one size and kind count as one row: a network repeats them in every layer.
std::vector<Kind> kinds_of(const std::vector<Allocation>& allocations) {
  std::vector<Kind> kinds;
  for (const Allocation& one : allocations) {
    const auto same = std::ranges::find_if(kinds, [&](const Kind& kind) {
      return same_kind(*kind.first, one) && kind.first->bytes == one.bytes &&
             kind.first->freed_phase == one.freed_phase;
    });
    same == kinds.end() ? kinds.push_back({&one}) : void(++same->count);
  }
  if (kinds.size() > kListed) kinds.resize(kListed);
  return kinds;
}

TableView allocations_table(const std::vector<Allocation>& allocations) {
  const ByteUnit unit = byte_unit(allocations.front().bytes);
  TableView table{"allocations",
                  "The largest allocations of the step, one row a kind",
                  {{"Size", unit.name, Align::kRight},
                   {"Count", "", Align::kRight},
                   {"Category", "", Align::kLeft},
                   {"Made by", "", Align::kLeft},
                   {"Operator", "", Align::kLeft},
                   {"Made in", "", Align::kLeft},
                   {"Freed in", "", Align::kLeft}},
                  {}};
  for (const auto& [one, count] : kinds_of(allocations)) {
    const std::string module = count > 1 ? without_layer(one->module) : one->module;
    table.rows.push_back(
        {{bytes_cell(one->bytes, unit), count_cell(static_cast<double>(count)),
          text_cell(category_words(one->category)), text_cell(where(one->operation, module, "")),
          text_cell(one->op), text_cell(one->phase),
          text_cell(one->freed ? one->freed_phase : "lives at the end")},
         {},
         ""});
  }
  return table;
}

std::string axis_words(const Timeline& timeline) {
  const double low = axis_begin(timeline);
  return low > 0 ? " The axis begins at " + format_bytes(low) + "." : "";
}

}  // namespace

std::optional<Figure> allocations_figure(const std::string& slug, const Step& step,
                                         const std::string& words, const Timeline& timeline) {
  const std::vector<Allocation> allocations = allocations_of(*step.launch);
  if (allocations.empty()) return std::nullopt;
  return Figure{
      .slug = slug + "-allocations",
      .title =
          "Its allocations one by one: " + std::string(describe(*step.spec().mode)) + ", " + words,
      .caption =
          "Each box is one of the largest allocations, by size times life, from the event "
          "that made it to the one that freed it; below them lies what was there before the "
          "step, above them, grey, all the rest." +
          axis_words(timeline),
      .alt =
          "Boxes over the allocator's events, one for each of the largest allocations. The "
          "table below holds the largest of them.",
      .spec = allocation_chart(timeline, allocations),
      .data = allocations_table(allocations),
      .family = std::string(describe(*step.spec().mode)),
      .variant = words,
      .in_page = "Detail sets how many are drawn singly, and pointing at a box names it."};
}

}  // namespace labreport::memory_profiling
