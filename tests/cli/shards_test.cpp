// Tests that the tasks of a real plan together measure each of its cells once, in about equal
// times.
#include "cli/shard.h"

#include <gmock/gmock.h>

#include <map>

#include "experiments/catalog.h"
#include "plan/memory.h"

namespace labreport::shards_test {
namespace {

constexpr std::int64_t kGibibyte = 1LL << 30;

PlanInput plan_of(const char* edition, Preset preset, std::vector<std::string> only = {}) {
  PlanInput input{find_edition(edition), preset, {}, DeviceKind::kCuda};
  input.selection.only = std::move(only);
  return input;
}

std::vector<std::string> all_of(const char* edition) {
  std::vector<std::string> only;
  for (const Experiment& experiment : catalog()) {
    if (experiment.in_edition(edition)) only.emplace_back(experiment.name);
  }
  return only;
}

/// The number of times that each cell was measured, by cell id.
using MeasuredCounts = std::map<std::string, int>;

/// Measures a plan until its results add no more cells. A task sees only its own results.
void measure(const std::function<std::vector<PlannedCell>(const Run&)>& plan,
             std::int64_t memory_bytes, MeasuredCounts& counts) {
  Run run;
  for (bool has_new_cells = true; has_new_cells;) {
    has_new_cells = false;
    for (const PlannedCell& planned : plan(run)) {
      Cell& cell = run.find_or_add(planned.spec);
      if (!cell.launches.empty()) continue;
      const bool fits = expected_peak(planned.spec).total() <= memory_bytes;
      cell.launches.emplace_back().outcome = fits ? Outcome(Ok{}) : Outcome(OutOfMemory{});
      if (planned.spec.kind != CellKind::kLimits) ++counts[cell.id];
      has_new_cells = true;
    }
  }
}

TEST(ShardsOfPlans, MeasureEachCellOnceWhateverDoesNotFit) {
  for (const char* edition : {"2025", "2026"}) {
    const PlanInput input = plan_of(edition, Preset::kFull, all_of(edition));
    for (const std::int64_t memory_bytes : {6 * kGibibyte, 141 * kGibibyte}) {
      const auto whole_plan = [&](const labreport::Run& so_far) {
        return plan_cells(input, so_far);
      };
      MeasuredCounts counts_alone, counts_together;
      measure(whole_plan, memory_bytes, counts_alone);
      const Shards shards = shards_of(input, 4);
      for (std::int64_t number = 1; number <= 4; ++number) {
        measure([&](const labreport::Run& run) { return shards.part(whole_plan(run), number); },
                memory_bytes, counts_together);
      }
      EXPECT_EQ(counts_together, counts_alone)
          << edition << " " << memory_bytes / kGibibyte << " GiB";
    }
  }
}

TEST(ShardsOfPlans, FourTasksAreThreePointFourTimesAsFast) {
  int compared = 0;
  for (const char* edition : {"2025", "2026"}) {
    for (const auto& only : {std::vector<std::string>(), all_of(edition)}) {
      const Shards shards = shards_of(plan_of(edition, Preset::kFull, only), 4);
      if (shards.max_speedup() <= 4) continue;  // The largest group takes more than a quarter.
      EXPECT_GE(shards.speedup(), 3.4) << edition;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 3) << "of four plans";
}

}  // namespace
}  // namespace labreport::shards_test
