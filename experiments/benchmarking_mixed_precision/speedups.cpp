// Part (c): FP32 against reduced precision for every size.
#include <algorithm>
#include <charconv>
#include <functional>

#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/speedup_facts.h"
#include "experiments/benchmarking_mixed_precision/speedup_tables.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/command.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

constexpr int kFirstWithBf16 = 8;  // Major compute capability.

/// Networks in the precisions that were measured whole steps of.
std::vector<TimingGroup> compared_groups(const RunView& view) {
  std::vector<TimingGroup> groups = timing_groups(view);
  std::erase_if(groups, [](const TimingGroup& group) { return !group.spec.precision; });
  std::ranges::stable_sort(groups, {}, [](const TimingGroup& group) {
    return parameter_count(group.spec.model.value_or(ModelShape{}));
  });
  return groups;
}

TableView commands_table(const Run& run, const std::vector<TimingGroup>& groups) {
  TableView table{"commands",
                  "The command that measures each row again",
                  {{"Row", "", Align::kLeft}, {"Command", "", Align::kLeft, true}},
                  {}};
  for (const TimingGroup& group : groups) {
    const auto longest = std::prev(group.cells.end());  // Modes are ordered by what they hold.
    table.rows.push_back(
        {{text_cell(group.label + ", " + std::string(describe(longest->first))),
          text_cell(command_for(run, std::string(kProblem) + ".c", longest->second->spec))},
         {},
         ""});
  }
  return table;
}

/// A processor has no compute capability, and computes in BF16.
bool has_bf16(const RunView& view) {
  const Device* device = view.device();
  if (device == nullptr) return true;
  const std::string& capability = device->compute_capability;
  int major = kFirstWithBf16;
  std::from_chars(capability.data(), capability.data() + capability.size(), major);
  return major >= kFirstWithBf16;
}

bool any_ratio(const Speedup& row) { return row.forward || row.backward; }

}  // namespace

std::optional<PartContent> present_speedups(const RunView& view) {
  const std::vector<TimingGroup> groups = compared_groups(view);
  const std::vector<Speedup> rows = speedups(view);
  // Without a second precision the benchmarking problem has shown these networks already.
  if (rows.empty()) return std::nullopt;
  PartContent part;
  part.facts = speedup_facts(rows, has_bf16(view));
  part.cells = cells_of(groups);
  part.tables = {times_table(groups)};
  if (std::ranges::any_of(rows, any_ratio)) {
    part.figures = {times_figure(rows), speedup_figure(rows)};
    part.tables.push_back(speedups_table(rows));
  }
  part.tables.push_back(bounds_table(view, groups, Mode::kTrainStep));
  part.drawer.tables = {commands_table(view.run(), groups)};
  return part;
}

}  // namespace labreport::benchmarking_mixed_precision
