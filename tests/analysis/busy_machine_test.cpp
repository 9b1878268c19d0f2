// What other work on the machine did to a run is told, and refuses nothing that can be.
#include <gmock/gmock.h>

#include "analysis/plausible_runs.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using namespace testing_samples;

/// The same network on a processor, whose limits were measured beside other work.
std::vector<Finding> on_a_processor(Launch launch, Launch limits) {
  Run run;
  run.devices = {Device{}};
  CellSpec spec = limits_spec();
  spec.device = DeviceKind::kCpu;
  run.find_or_add(spec).launches = {std::move(limits)};
  spec = timing_spec();
  spec.device = DeviceKind::kCpu;
  run.find_or_add(spec).launches = {std::move(launch)};
  return check_plausibility(run);
}

TEST(BusyMachine, ABusyProcessorsLimitsRefuseNothingThatCanBe) {
  const auto busy = on_a_processor(timing_launch(1.5), limits_launch());
  ASSERT_EQ(busy.size(), 1u);
  EXPECT_FALSE(busy[0].error);
  Launch limits = limits_launch();
  limits.metrics = {
      {"matrix_rate", "fp32", "flop/s", Samples(std::vector{kLimit / 9, kLimit}), ""}};
  EXPECT_TRUE(on_a_processor(timing_launch(0.9), limits).empty()) << "the best of several counts";
  const auto wrong = on_a_processor(timing_launch(20), limits_launch());
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_TRUE(wrong[0].error);
}

TEST(BusyMachine, WarnsOfStepsThatVaryByMoreThanTheirHalf) {
  Launch launch = timing_launch(0.2);
  const auto ns = static_cast<std::int64_t>(*metric_of(launch, "event", "forward").number());
  metric_of(launch, "step", "total") = sample_metric("step", "total", "ns", {ns, ns, 5 * ns});
  const auto found = findings(launch);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].error);
  EXPECT_THAT(found[0].text, HasSubstr("its steps vary by 94 %"));
}

TEST(BusyMachine, WarnsOfAForwardPassThatTakesLongerThanTheSameNetworksElsewhere) {
  labreport::Run run;
  run.devices = {Device{}};
  CellSpec spec = timing_spec();
  run.find_or_add(spec).launches = {timing_launch(0.8)};
  spec.mode = Mode::kInference;
  run.find_or_add(spec).launches = {timing_launch(0.08)};
  const auto found = check_plausibility(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].error);
  EXPECT_EQ(found[0].cell, cell_id(spec));
  EXPECT_THAT(found[0].text,
              HasSubstr("its forward pass takes 10 times as long as in timing.cuda"));
}

TEST(BusyMachine, AFirstStepIsSlowerThanAnyOtherByNature) {
  labreport::Run run;
  run.devices = {Device{}};
  CellSpec spec = timing_spec();
  run.find_or_add(spec).launches = {timing_launch(0.08)};
  spec.warmup = 0;
  spec.steps = 1;
  Launch cold = timing_launch(0.08);
  for (const auto& [tag, name] :
       {std::pair("step", "total"), {"step", "enqueue"}, {"event", "forward"}}) {
    Metric& metric = metric_of(cold, tag, name);
    metric = sample_metric(tag, name, "ns", {static_cast<std::int64_t>(10 * *metric.number())});
  }
  run.find_or_add(spec).launches = {cold};
  EXPECT_TRUE(check_plausibility(run).empty());
}

}  // namespace
}  // namespace labreport
