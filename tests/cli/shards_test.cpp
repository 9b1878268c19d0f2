// Tests that the tasks of a real plan measure all of it together, each cell once, in about equal
// time.
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

/// The number of times that tasks, each planning by its own results only, measured each cell.
using Times = std::map<std::string, int>;

void measure(const std::function<std::vector<PlannedCell>(const Run&)>& plan, std::int64_t memory,
             Times& times) {
  Run run;
  for (bool more = true; more;) {
    more = false;
    for (const PlannedCell& planned : plan(run)) {
      Cell& cell = run.find_or_add(planned.spec);
      if (!cell.launches.empty()) continue;
      const bool fits = expected_peak(planned.spec).total() <= memory;
      cell.launches.emplace_back().outcome = fits ? Outcome(Ok{}) : Outcome(OutOfMemory{});
      if (planned.spec.kind != CellKind::kLimits) ++times[cell.id];
      more = true;
    }
  }
}

TEST(ShardsOfPlans, MeasureEachCellOnceWhateverDoesNotFit) {
  for (const char* edition : {"2025", "2026"}) {
    const PlanInput input = plan_of(edition, Preset::kFull, all_of(edition));
    for (const std::int64_t memory : {6 * kGibibyte, 141 * kGibibyte}) {
      const auto whole = [&](const labreport::Run& so_far) { return plan_cells(input, so_far); };
      Times alone, together;
      measure(whole, memory, alone);
      const Shards shards = shards_of(input, 4);
      for (std::int64_t number = 1; number <= 4; ++number) {
        measure([&](const labreport::Run& run) { return shards.part(whole(run), number); }, memory,
                together);
      }
      EXPECT_EQ(together, alone) << edition << " " << memory / kGibibyte << " GiB";
    }
  }
}

TEST(ShardsOfPlans, FourGainMoreThanThreePointFourWhereNoGroupIsAQuarter) {
  int compared = 0;
  for (const char* edition : {"2025", "2026"}) {
    for (const auto& only : {std::vector<std::string>(), all_of(edition)}) {
      const Shards shards = shards_of(plan_of(edition, Preset::kFull, only), 4);
      if (shards.most_speedup() <= 4) continue;  // the largest group takes more than a quarter
      EXPECT_GE(shards.speedup(), 3.4) << edition;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 3);
}

}  // namespace
}  // namespace labreport::shards_test
