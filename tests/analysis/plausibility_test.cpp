#include "analysis/plausibility.h"

#include <gmock/gmock.h>

#include "analysis/plausible_runs.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using namespace testing_samples;

TEST(Plausibility, FindsNothingInAGoodRun) { EXPECT_TRUE(findings(timing_launch(0.8)).empty()); }

TEST(Plausibility, WarnsAboveTheLimitAndRefusesFarAboveIt) {
  const auto close = findings(timing_launch(1.05));
  ASSERT_EQ(close.size(), 1u);
  EXPECT_FALSE(close[0].error);
  EXPECT_THAT(close[0].text,
              HasSubstr("1.05 times as fast as the device's measured limit in fp32"));
  EXPECT_EQ(close[0].cell, cell_id(timing_spec()));
  const auto far = findings(timing_launch(1.5));
  ASSERT_EQ(far.size(), 1u);
  EXPECT_TRUE(far[0].error);
}

TEST(Plausibility, RefusesAnAttentionThatComputesFasterThanTheDevice) {
  CellSpec spec;
  spec.kind = CellKind::kAttention;
  spec.batch = 8;
  spec.precision = Precision::kFp32;
  spec.attention =
      AttentionSweep{AttentionMethod::kSynced, AttentionBackend::kEager, 64, 1, {1024}};
  const auto found = [&](double share) {
    Launch launch;
    launch.device = 0;
    const auto ns = static_cast<std::int64_t>(attention_flops(spec, 1024) / (kLimit * share) * 1e9);
    launch.tables = {
        {"attention", {{"length", "1"}, {"forward_median_ns", "ns"}}, {{std::int64_t{1024}, ns}}}};
    labreport::Run run;
    run.find_or_add(limits_spec()).launches = {limits_launch()};
    run.find_or_add(spec).launches = {launch};
    return check_plausibility(run);
  };
  EXPECT_TRUE(found(0.5).empty());
  ASSERT_EQ(found(2).size(), 1u);
  EXPECT_TRUE(found(2)[0].error);
}

/// A good launch that counted other bytes.
Launch with_bytes(const std::vector<std::pair<const char*, std::int64_t>>& counted) {
  Launch launch = timing_launch(0.8);
  for (const auto& [name, bytes] : counted) {
    metric_of(launch, "memory", name) = integer_metric("memory", name, "B", bytes);
  }
  return launch;
}

constexpr std::int64_t kGibibyte = 1LL << 30;

TEST(Plausibility, RefusesBytesThatCannotBe) {
  for (const auto& [launch, said] :
       {std::pair{with_bytes({{"peak_allocated", 1 << 20}}), "peak of 1.0 MiB is less than the"},
        {with_bytes({{"peak_allocated", 90 * kGibibyte}, {"peak_reserved", 91 * kGibibyte}}),
         "more than the device's 80.00 GiB"},
        {with_bytes({{"parameters", 12}}), "its parameters take 12 B, by arithmetic"}}) {
    ASSERT_EQ(findings(launch).size(), 1u) << said;
    EXPECT_THAT(findings(launch)[0].text, HasSubstr(said));
  }
}

std::vector<Finding> findings_of_held(std::optional<std::int64_t> allocated, std::int64_t peak) {
  CellSpec spec = timing_spec();
  spec.kind = CellKind::kSharding;
  spec.mode = Mode::kTrainStep;
  spec.ranks = Ranks{2, Collectives::kNccl};
  spec.sharding = Sharding::kNone;
  Table held = shape::held();
  held.rows = {{std::int64_t{1}, std::int64_t{1}, std::string(metric::kBeforeOptimizer),
                allocated ? Scalar(*allocated) : Scalar(), peak, std::int64_t{40}, std::int64_t{40},
                std::int64_t{10}}};
  Launch launch;
  launch.tables = {held};
  Run run;
  run.find_or_add(spec).launches = {launch};
  return check_plausibility(run);
}

TEST(Plausibility, RefusesRanksThatHoldMoreThanIsAllocated) {
  EXPECT_TRUE(findings_of_held(100, 120).empty());
  ASSERT_EQ(findings_of_held(80, 120).size(), 1u);
  EXPECT_THAT(findings_of_held(80, 120)[0].text, HasSubstr("a rank holds 90 B"));
  EXPECT_TRUE(findings_of_held(std::nullopt, 120).empty()) << "nobody knows what is allocated";
}

TEST(Plausibility, AcceptsAPeakAboveTheDeviceWhereTheDriverSpilledToTheHost) {
  Launch launch =
      with_bytes({{"peak_allocated", 90 * kGibibyte}, {"peak_reserved", 91 * kGibibyte}});
  launch.conditions.push_back(integer_metric("gpu", "spilled", "B", 11 * kGibibyte));
  EXPECT_TRUE(findings(launch).empty());
}

TEST(Plausibility, RefusesMissingSamplesAndPhasesLongerThanTheirStep) {
  Launch launch = timing_launch(0.8);
  metric_of(launch, "step", "total") = sample_metric("step", "total", "ns", {1, 0});
  metric_of(launch, "event", "forward") = sample_metric("event", "forward", "ns", {9, 0});
  std::string all;
  for (const Finding& finding : findings(launch)) all += finding.text + "\n";
  EXPECT_THAT(all, HasSubstr("3 steps were asked for, 2 timed"));
  EXPECT_THAT(all, HasSubstr("the phases of step 1 take longer than the step"));
}

TEST(Plausibility, ExactHalvesAddUpExactly) {
  const auto judged = [](double last) {
    labreport::Run run;
    CellSpec spec;
    spec.kind = CellKind::kAccumulation;
    Launch launch;
    launch.metrics = {real_metric("addend", "fp32+=0.5", "1", 0.5),
                      {"running", "fp32+=0.5", "1", Samples(std::vector{0.5, last}), ""}};
    run.find_or_add(spec).launches = {launch};
    return check_plausibility(run);
  };
  EXPECT_TRUE(judged(1.0).empty());
  ASSERT_EQ(judged(1.25).size(), 1u);
  EXPECT_EQ(judged(1.25)[0].text, "2 exact halves add up to 1.25, not to 1");
}

TEST(Plausibility, LooksOnlyAtWhatSucceeded) {
  Launch launch;
  launch.outcome = OutOfMemory{"forward", {}, {}, {}};
  EXPECT_TRUE(findings(launch).empty());
}

Launch profiled_launch(std::int64_t step, std::int64_t span, std::int64_t busy,
                       std::int64_t unattributed) {
  Launch launch;
  launch.metrics = {integer_metric("profile", "step", "ns", step),
                    integer_metric("profile", "span", "ns", span),
                    integer_metric("profile", "busy", "ns", busy),
                    integer_metric("profile", "unattributed", "ns", unattributed)};
  return launch;
}

std::vector<Finding> profile_findings(const Launch& launch) {
  Run run;
  CellSpec spec = timing_spec();
  spec.kind = CellKind::kKernels;
  run.find_or_add(spec).launches = {launch};
  return check_plausibility(run);
}

TEST(Plausibility, KernelsSpanNoMoreThanTheStep) {
  EXPECT_TRUE(profile_findings(profiled_launch(100, 105, 80, 0)).empty())
      << "two clocks may differ a little";
  const auto span = profile_findings(profiled_launch(100, 120, 80, 0));
  ASSERT_EQ(span.size(), 1u);
  EXPECT_TRUE(span[0].error);
  EXPECT_THAT(span[0].text, HasSubstr("span more than the step"));
}

TEST(Plausibility, KernelsOfNoPhaseAreAWarning) {
  EXPECT_TRUE(profile_findings(profiled_launch(100, 90, 80, 0)).empty());
  Launch unknown = profiled_launch(1000, 1000, 1000, 20);
  std::erase_if(unknown.metrics, [](const Metric& metric) { return metric.name == "busy"; });
  EXPECT_TRUE(profile_findings(unknown).empty()) << "nobody knows of how much";
  const auto found = profile_findings(profiled_launch(1000, 1000, 1000, 20));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].error);
  EXPECT_EQ(found[0].text, "2.0 % of its kernels' time belong to no phase");
}

}  // namespace
}  // namespace labreport
