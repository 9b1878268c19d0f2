#include "experiments/memory_profiling/timeline_figures.h"

#include <algorithm>
#include <cmath>

#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/timeline_chart.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/run_store.h"

namespace labreport::memory_profiling {
namespace {

constexpr std::size_t kNamedAllocations = 4;

/// In events, to the nearest of `others`.
double distance(const Allocation& one, const std::vector<Allocation>& others) {
  double nearest = one.made;
  for (const Allocation& other : others)
    nearest = std::min(nearest, std::abs(one.made - other.made));
  return nearest;
}

/// Of the largest kinds one each; of the many that a kind has, the one farthest from those chosen,
/// so that their marks stand apart.
std::vector<Allocation> named(const std::vector<Allocation>& allocations) {
  std::vector<Allocation> found;
  for (const Allocation& kind : allocations) {
    const bool known =
        std::ranges::any_of(found, [&](const Allocation& other) { return same_kind(other, kind); });
    const bool anonymous = kind.operation.empty() && kind.op.empty();
    if (known || anonymous || kind.made <= 0) continue;
    const Allocation* best = &kind;
    for (const Allocation& one : allocations) {
      const bool same = same_kind(one, kind) && one.bytes == kind.bytes && one.made > 0;
      if (same && distance(one, found) > distance(*best, found)) best = &one;
    }
    found.push_back(*best);
    if (found.size() == kNamedAllocations) break;
  }
  std::ranges::sort(found, {}, &Allocation::made);
  return found;
}

/// "**1** 128.0 MiB, Softmax in layers.0/attn; …"
std::string key_words(const std::vector<Allocation>& marked) {
  std::string words;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const Allocation& one = marked[i];
    words +=
        (i > 0 ? "; " : "") + std::string("**") + std::to_string(i + 1) + "** " +
        escape_markdown(format_bytes(one.bytes) + ", " + where(one.operation, one.module, one.op));
  }
  return words.empty() ? "" : " Of the largest allocations, one of each kind: " + words + ".";
}

std::string snapshot_words(const Step& step) {
  if (step.spec().device != DeviceKind::kCuda) return "";
  return "The drawer names its snapshot for PyTorch's memory_viz.";
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

}  // namespace

std::string artifact_stem(const Step& step) {
  return step.cell->id + "." + std::to_string(step.launch - step.cell->launches.data());
}

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
  return {
      .slug = slug,
      .title = "Active memory timeline: " + std::string(describe(*step.spec().mode)) + ", " + words,
      .caption =
          "Requested bytes after each event of the allocator, stacked by what they are "
          "held for." +
          key_words(marked),
      .alt =
          "Stacked areas of memory over the time of one step, its phases as bands. The "
          "table below holds the ends of the phases and the peak.",
      .spec = timeline_chart(chart),
      .data = stages_table(timeline, byte_unit(timeline.peak().requested())),
      .family = std::string(describe(*step.spec().mode)),
      .variant = words,
      .in_page = snapshot_words(step)};
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
      const std::string stem = "artifacts/" + artifact_stem(step);
      table.rows.push_back(
          {{text_cell(profile->place + ", " + std::string(describe(mode))),
            text_cell(stem + artifact::kSnapshot), text_cell(stem + artifact::kAllocations)},
           {},
           ""});
    }
  }
  return table;
}

}  // namespace labreport::memory_profiling
