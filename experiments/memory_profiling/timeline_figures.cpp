#include "experiments/memory_profiling/timeline_figures.h"

#include <algorithm>
#include <cmath>

#include "experiments/common/measured_table.h"
#include "experiments/memory_profiling/allocation_chart.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/timeline_chart.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kNamed = 4;
constexpr std::size_t kListed = 20;

bool alike(const Allocation& a, const Allocation& b) {
  return a.operation == b.operation && a.op == b.op &&
         without_layer(a.module) == without_layer(b.module);
}

/// In events, to the nearest of `others`.
double distance(const Allocation& one, const std::vector<Allocation>& others) {
  double nearest = one.made;
  for (const Allocation& other : others) nearest = std::min(nearest, std::abs(one.made - other.made));
  return nearest;
}

/// Of the largest kinds one each; of the many that a kind has, the one farthest from those chosen,
/// so that their marks stand apart.
std::vector<Allocation> named(const std::vector<Allocation>& allocations) {
  std::vector<Allocation> found;
  for (const Allocation& kind : allocations) {
    const bool known = std::ranges::any_of(
        found, [&](const Allocation& other) { return alike(other, kind); });
    const bool anonymous = kind.operation.empty() && kind.op.empty();
    if (known || anonymous || kind.made <= 0) continue;
    const Allocation* best = &kind;
    for (const Allocation& one : allocations) {
      const bool same = alike(one, kind) && one.bytes == kind.bytes && one.made > 0;
      if (same && distance(one, found) > distance(*best, found)) best = &one;
    }
    found.push_back(*best);
    if (found.size() == kNamed) break;
  }
  std::ranges::sort(found, {}, &Allocation::made);
  return found;
}

/// "**1** 128.0 MiB, Softmax in layers.0/attn; …"
std::string key_words(const std::vector<Allocation>& marked) {
  std::string words;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const Allocation& one = marked[i];
    words += (i > 0 ? "; " : "") + std::string("**") + std::to_string(i + 1) + "** " +
             escape_markdown(format_bytes(one.bytes) + ", " +
                             where(one.operation, one.module, one.op));
  }
  return words.empty() ? "" : " Of the largest allocations, one of each kind: " + words + ".";
}

std::string snapshot_words(const Step& step) {
  if (step.spec().device != DeviceKind::kCuda) return "";
  return " The drawer names its snapshot for PyTorch's memory_viz.";
}

RowView instant_row(const std::string& label, const Instant& instant, const ByteUnit& unit) {
  RowView row{{text_cell(label), number_cell(format_fixed(instant.ms, 1), instant.ms)}, {}, ""};
  for (const double bytes : instant.bytes) row.cells.push_back(bytes_cell(bytes, unit));
  row.cells.push_back(bytes_cell(instant.requested(), unit));
  row.cells.push_back(bytes_cell(instant.allocated, unit));
  return row;
}

TableView stages_table(const Timeline& timeline, const ByteUnit& unit) {
  TableView table{"stages",
                  "Requested bytes at the ends of the phases and at the peak",
                  {{"Instant", "", Align::kLeft}, {"Time", "ms", Align::kRight}},
                  {}};
  for (const Category& category : categories()) {
    table.columns.push_back({std::string(category.words), unit.name, Align::kRight});
  }
  table.columns.push_back({"All", unit.name, Align::kRight});
  table.columns.push_back({"Allocated", unit.name, Align::kRight});
  table.rows.push_back(instant_row("start", timeline.instants.front(), unit));
  for (const Stretch& stretch : timeline.phases()) {
    table.rows.push_back(instant_row("end of " + stretch.phase, *stretch.last, unit));
  }
  table.rows.push_back(instant_row("peak, in " + timeline.peak().phase, timeline.peak(), unit));
  return table;
}

struct Kind {
  const Allocation* first;
  std::int64_t count = 1;
};

/// Allocations of one size and kind count as one row: a network repeats them in every layer.
std::vector<Kind> kinds_of(const std::vector<Allocation>& allocations) {
  std::vector<Kind> kinds;
  for (const Allocation& one : allocations) {
    const auto same = std::ranges::find_if(kinds, [&](const Kind& kind) {
      return alike(*kind.first, one) && kind.first->bytes == one.bytes &&
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
    table.rows.push_back({{bytes_cell(one->bytes, unit), exact_cell(static_cast<double>(count)),
                           text_cell(category_words(one->category)),
                           text_cell(where(one->operation, module, "")), text_cell(one->op),
                           text_cell(one->phase),
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

std::string title_of(const Step& step, const std::string& words) {
  return std::string(describe(*step.spec().mode)) + ", " + words;
}

}  // namespace

Figure timeline_figure(const std::string& slug, const Step& step, const std::string& words,
                       const Timeline& timeline, double capacity) {
  const std::vector<Allocation> marked = named(allocations_of(*step.launch));
  TimelineChart chart{timeline, capacity, "", "", {}};
  chart.peak_words = "peak " + format_bytes(timeline.peak().requested());
  for (std::size_t i = 0; i < marked.size(); ++i) {
    chart.marks.push_back({static_cast<int>(i + 1), marked[i].made});
  }
  if (const OutOfMemory* refused = step.refused()) {
    const auto asked = refused->requested_bytes;
    chart.end_words = asked ? "refused: " + format_bytes(static_cast<double>(*asked)) : "refused";
  }
  return {.slug = slug,
          .title = "Active memory timeline: " + title_of(step, words),
          .caption = "Requested bytes after each event of the allocator, stacked by what they are "
                     "held for; the dashed line is what the allocator gave out." +
                     key_words(marked) + snapshot_words(step),
          .alt = "Stacked areas of memory over the time of one step, its phases as bands. The "
                 "table below holds the ends of the phases and the peak.",
          .spec = timeline_chart(chart),
          .data = stages_table(timeline, byte_unit(timeline.peak().requested()))};
}

std::optional<Figure> allocations_figure(const std::string& slug, const Step& step,
                                         const std::string& words, const Timeline& timeline) {
  const std::vector<Allocation> allocations = allocations_of(*step.launch);
  if (allocations.empty()) return std::nullopt;
  return Figure{
      .slug = slug + "-allocations",
      .title = "Its allocations one by one: " + title_of(step, words),
      .caption = "Each box is one of the largest allocations, by size times life, from the event "
                 "that made it to the one that freed it; below them lies what was there before the "
                 "step, above them, grey, all the rest. In the page, Detail sets how many are drawn "
                 "singly, and pointing at a box names it." +
                 axis_words(timeline),
      .alt = "Boxes over the allocator's events, one for each of the largest allocations. The "
             "table below holds the largest of them.",
      .spec = allocation_chart(timeline, allocations),
      .data = allocations_table(allocations)};
}

TableView files_table(const Profiles& profiles) {
  TableView table{"files",
                  "Files in the run's folder",
                  {{"Row", "", Align::kLeft},
                   {"Snapshot for memory_viz", "", Align::kLeft, true},
                   {"Allocations", "", Align::kLeft, true}},
                  {}};
  for (const Profile* profile : profiles) {
    for (const auto& [mode, step] : profile->steps) {
      if (step.launch == nullptr || step.spec().device != DeviceKind::kCuda) continue;
      if (find_table(*step.launch, metric::kTimeline) == nullptr) continue;
      const std::string stem = "artifacts/" + step.cell->id;
      table.rows.push_back({{text_cell(profile->place + ", " + std::string(describe(mode))),
                             text_cell(stem + ".pickle"), text_cell(stem + ".allocations.csv")},
                            {},
                            ""});
    }
  }
  return table;
}

}  // namespace labreport::memory_profiling
