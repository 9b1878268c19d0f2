#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/sample_runs.h"

namespace labreport {
namespace {

using testing_samples::empty_run;
using testing_samples::end_with;
using testing_samples::only;
using testing_samples::plan_input;
using testing_samples::planned;

std::ptrdiff_t count(const std::vector<CellSpec>& specs, Precision precision, Mode mode) {
  return std::ranges::count_if(specs, [&](const CellSpec& spec) {
    return spec.precision == precision && spec.mode == mode;
  });
}

TEST(AccumulationPlan, IsOneCell) {
  const auto specs = planned(only("mixed_precision_accumulation"));
  ASSERT_EQ(specs.size(), 1u);
  EXPECT_EQ(cell_id(specs.front()), "accumulation.cuda");
}

TEST(MixedPrecisionPlan, ComparesTrainStepsOfEverySize) {
  const auto specs = planned(only("benchmarking_mixed_precision.c"));
  EXPECT_EQ(count(specs, Precision::kFp32, Mode::kTrainStep), 5);
  EXPECT_EQ(count(specs, Precision::kBf16, Mode::kTrainStep), 5);
  EXPECT_EQ(specs.size(), 1u + 10u);  // The limits come first.
}

TEST(MixedPrecisionPlan, SharesItsFp32CellsWithTheBenchmarkingProblem) {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"benchmarking_script", "benchmarking_mixed_precision.c"};
  std::set<std::string> ids;
  for (const CellSpec& spec : planned(input)) EXPECT_TRUE(ids.insert(cell_id(spec)).second);
  EXPECT_EQ(count(planned(input), Precision::kFp32, Mode::kTrainStep), 5);
}

TEST(MixedPrecisionPlan, TakesFp16WhereTheDeviceHasNoBf16) {
  PlanInput input = only("benchmarking_mixed_precision.c");
  input.half = Precision::kFp16;
  EXPECT_EQ(count(planned(input), Precision::kFp16, Mode::kTrainStep), 5);
  EXPECT_EQ(count(planned(input), Precision::kBf16, Mode::kTrainStep), 0);
}

TEST(MixedPrecisionPlan, ComparesThePrecisionsThatAreAskedFor) {
  PlanInput input = only("benchmarking_mixed_precision.c");
  input.selection.precisions = {Precision::kFp32, Precision::kTf32};
  EXPECT_EQ(count(planned(input), Precision::kTf32, Mode::kTrainStep), 5);
  EXPECT_EQ(count(planned(input), Precision::kBf16, Mode::kTrainStep), 0);
}

TEST(MixedPrecisionPlan, TriesALesserModeWhereAStepDoesNotFit) {
  PlanInput input = only("benchmarking_mixed_precision.c");
  input.selection.sizes = {input.edition.sizes[0]};
  labreport::Run run = empty_run(input);
  for (const CellSpec& spec : planned(input)) {
    if (spec.precision != Precision::kBf16) continue;
    Launch launch;
    end_with(launch, OutOfMemory{"optimizer", 1, 2, 3});
    run.find_or_add(spec).launches.push_back(launch);
  }
  const auto again = planned(input, {}, run);
  EXPECT_EQ(count(again, Precision::kBf16, Mode::kForwardBackward), 1);
  EXPECT_EQ(count(again, Precision::kFp32, Mode::kForwardBackward), 0);
}

TEST(MixedPrecisionPlan, TracesAModelOfOnesOwnBesideTheToyModel) {
  PlanInput input = only("benchmarking_mixed_precision.a");
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const auto dtypes = planned(input);
  ASSERT_EQ(dtypes.size(), 2u);
  EXPECT_EQ(cell_id(dtypes[0]), "dtypes.cuda");
  EXPECT_EQ(cell_id(dtypes[1]), "dtypes.cuda.Net-0a1b2c3d.d768-f3072-l12-h12-v10000.b4.c512");
}

TEST(MixedPrecisionPlan, APartAsksForItsOwnCellsOnly) {
  const auto dtypes = planned(only("benchmarking_mixed_precision.a"));
  ASSERT_EQ(dtypes.size(), 1u);
  EXPECT_EQ(dtypes.front().kind, CellKind::kDtypes);
  EXPECT_EQ(planned(only("benchmarking_mixed_precision.b")).size(), 2u);
}

}  // namespace
}  // namespace labreport
