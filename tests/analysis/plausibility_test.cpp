// Tests that impossible numbers are errors, and effects of other work on the machine warnings.
#include "analysis/plausibility.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "plan/memory.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

#include "plan/sample_cell.h"

namespace labreport::plausibility_test {
namespace {

using testing::HasSubstr;

constexpr double kLimit = 50e12;  // flop/s

Launch limits_launch() {
  Launch launch;
  launch.device = 0;
  launch.metrics = {real_metric("matrix_rate", "fp32", "flop/s", kLimit)};
  return launch;
}

CellSpec limits_spec() {
  CellSpec spec;
  spec.kind = CellKind::kLimits;
  return spec;
}

CellSpec timing_spec() { return small_cell(Mode::kForward); }

/// Returns a launch whose counted steps compute at `ratio` times the limit.
Launch timing_launch(double ratio) {
  const auto ns = static_cast<std::int64_t>(*step_flops(timing_spec()) / (kLimit * ratio) * 1e9);
  const std::int64_t parameters = *resident_bytes(timing_spec());
  Launch launch;
  launch.device = 0;
  launch.metrics = {sample_metric("step", "total", "ns", {9 * ns, ns, ns}),
                    sample_metric("step", "enqueue", "ns", {ns / 2, ns / 2, ns / 2}),
                    sample_metric("event", "forward", "ns", {ns, ns, ns}),
                    integer_metric("memory", "parameters", "B", parameters),
                    integer_metric("memory", "peak_allocated", "B", 2 * parameters),
                    integer_metric("memory", "peak_reserved", "B", 3 * parameters)};
  return launch;
}

std::vector<Finding> findings_of(const CellSpec& spec, const Launch& launch) {
  labreport::Run run;
  Device device;
  device.memory_bytes = 80LL << 30;
  run.devices = {device};
  run.find_or_add(limits_spec()).launches = {limits_launch()};
  run.find_or_add(spec).launches = {launch};
  return check_plausibility(run);
}

std::vector<Finding> timing_findings(const Launch& launch) {
  return findings_of(timing_spec(), launch);
}

Metric& metric_of(Launch& launch, const std::string& tag, const std::string& name) {
  for (Metric& metric : launch.metrics) {
    if (metric.tag == tag && metric.name == name) return metric;
  }
  throw std::runtime_error(name);
}

TEST(Plausibility, FindsNothingInAGoodRun) {
  EXPECT_TRUE(timing_findings(timing_launch(0.8)).empty());
}

TEST(Plausibility, WarnsAboveTheLimitAndRefusesFarAboveIt) {
  const auto close = timing_findings(timing_launch(1.05));
  ASSERT_EQ(close.size(), 1u);
  EXPECT_FALSE(close[0].is_error);
  EXPECT_THAT(close[0].text, HasSubstr("1.05 times as fast as the device's fastest GEMM in fp32"));
  EXPECT_EQ(close[0].cell_id, cell_id(timing_spec()));
  const auto far = timing_findings(timing_launch(1.5));
  ASSERT_EQ(far.size(), 1u);
  EXPECT_TRUE(far[0].is_error);
}

TEST(Plausibility, ComparesStepsWithTheFastestGemmOfTheRun) {
  labreport::Run run;
  run.devices.emplace_back().memory_bytes = 80LL << 30;
  Launch limits = limits_launch();
  limits.metrics = {{"matrix_rate", "fp32", "flop/s",
                     Samples(std::vector<double>{2 * kLimit, kLimit, kLimit}), ""}};
  run.find_or_add(limits_spec()).launches = {limits};
  run.find_or_add(timing_spec()).launches = {timing_launch(1.5)};
  EXPECT_TRUE(check_plausibility(run).empty()) << "faster than the median, not than the fastest";
}

TEST(Plausibility, RefusesAttentionFarAboveTheLimit) {
  CellSpec spec;
  spec.kind = CellKind::kAttention;
  spec.batch = 8;
  spec.precision = Precision::kFp32;
  spec.attention =
      AttentionSweep{AttentionMethod::kSynced, AttentionBackend::kEager, 64, 1, {1024}};
  const auto findings_at = [&](double ratio) {
    Launch launch;
    launch.device = 0;
    const auto ns = static_cast<std::int64_t>(attention_flops(spec, 1024) / (kLimit * ratio) * 1e9);
    launch.tables = {
        {"attention", {{"length", "1"}, {"forward_median_ns", "ns"}}, {{std::int64_t{1024}, ns}}}};
    return findings_of(spec, launch);
  };
  EXPECT_TRUE(findings_at(0.5).empty());
  ASSERT_EQ(findings_at(2).size(), 1u);
  EXPECT_TRUE(findings_at(2)[0].is_error);
}

/// Returns a plausible launch, but with these bytes of memory.
Launch launch_with_bytes(const std::vector<std::pair<const char*, std::int64_t>>& metrics) {
  Launch launch = timing_launch(0.8);
  for (const auto& [name, bytes] : metrics) {
    metric_of(launch, "memory", name) = integer_metric("memory", name, "B", bytes);
  }
  return launch;
}

constexpr std::int64_t kGibibyte = 1LL << 30;

TEST(Plausibility, RefusesImpossibleBytes) {
  for (const auto& [launch, said] :
       {std::pair{launch_with_bytes({{"peak_allocated", 1 << 20}}),
                  "peak of 1.0 MiB is less than the"},
        {launch_with_bytes({{"peak_allocated", 90 * kGibibyte}, {"peak_reserved", 91 * kGibibyte}}),
         "more than the device's 80.00 GiB"},
        {launch_with_bytes({{"parameters", 12}}), "its parameters take 12 B, by arithmetic"}}) {
    ASSERT_EQ(timing_findings(launch).size(), 1u) << said;
    EXPECT_THAT(timing_findings(launch)[0].text, HasSubstr(said));
  }
}

/// Checks a rank that holds 90 B of parameters, gradients and optimizer state.
std::vector<Finding> rank_findings(std::optional<std::int64_t> allocated, std::int64_t peak) {
  CellSpec spec = timing_spec();
  spec.kind = CellKind::kSharding;
  spec.mode = Mode::kTrainStep;
  spec.ranks = Ranks{2, Collectives::kNccl};
  spec.sharding = Sharding::kNone;
  Table held = empty_table(metric::kHeld);
  held.rows = {{std::int64_t{1}, std::int64_t{1}, std::string(metric::kBeforeOptimizer),
                allocated ? Scalar(*allocated) : Scalar(), peak, std::int64_t{40}, std::int64_t{40},
                std::int64_t{10}}};
  Launch launch;
  launch.tables = {held};
  return findings_of(spec, launch);
}

TEST(Plausibility, RefusesRanksThatHoldMoreThanIsAllocated) {
  EXPECT_TRUE(rank_findings(100, 120).empty());
  ASSERT_EQ(rank_findings(80, 120).size(), 1u);
  EXPECT_THAT(rank_findings(80, 120)[0].text, HasSubstr("a rank holds 90 B"));
  EXPECT_TRUE(rank_findings(std::nullopt, 120).empty()) << "nobody knows what is allocated";
}

TEST(Plausibility, AcceptsALargePeakIfTheDriverSpilled) {
  Launch launch =
      launch_with_bytes({{"peak_allocated", 90 * kGibibyte}, {"peak_reserved", 91 * kGibibyte}});
  launch.conditions.push_back(integer_metric("gpu", "spilled", "B", 11 * kGibibyte));
  EXPECT_TRUE(timing_findings(launch).empty());
}

TEST(Plausibility, RefusesMissingSamplesAndPhasesLongerThanTheirStep) {
  Launch launch = timing_launch(0.8);
  metric_of(launch, "step", "total") = sample_metric("step", "total", "ns", {1, 0});
  metric_of(launch, "event", "forward") = sample_metric("event", "forward", "ns", {9, 0});
  std::string all;
  for (const Finding& finding : timing_findings(launch)) all += finding.text + "\n";
  EXPECT_THAT(all, HasSubstr("3 steps were asked for, 2 timed"));
  EXPECT_THAT(all, HasSubstr("the phases of step 1 take longer than the step"));
}

TEST(Plausibility, RefusesAWrongSumOfHalves) {
  const auto findings_for_sum = [](double last) {
    CellSpec spec;
    spec.kind = CellKind::kAccumulation;
    Launch launch;
    launch.metrics = {real_metric("addend", "fp32+=0.5", "1", 0.5),
                      {"running", "fp32+=0.5", "1", Samples(std::vector{0.5, last}), ""}};
    return findings_of(spec, launch);
  };
  EXPECT_TRUE(findings_for_sum(1.0).empty());
  ASSERT_EQ(findings_for_sum(1.25).size(), 1u);
  EXPECT_EQ(findings_for_sum(1.25)[0].text, "2 exact halves add up to 1.25, not to 1");
}

TEST(Plausibility, IgnoresFailedLaunches) {
  Launch launch;
  launch.outcome = OutOfMemory{"forward", {}, {}, {}};
  EXPECT_TRUE(timing_findings(launch).empty());
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
  CellSpec spec = timing_spec();
  spec.kind = CellKind::kKernels;
  return findings_of(spec, launch);
}

TEST(Plausibility, RefusesKernelsThatSpanMoreThanTheStep) {
  EXPECT_TRUE(profile_findings(profiled_launch(100, 105, 80, 0)).empty())
      << "two clocks may differ a little";
  const auto span = profile_findings(profiled_launch(100, 120, 80, 0));
  ASSERT_EQ(span.size(), 1u);
  EXPECT_TRUE(span[0].is_error);
  EXPECT_THAT(span[0].text, HasSubstr("span more than the step"));
}

TEST(Plausibility, WarnsOfKernelsOfNoPhase) {
  EXPECT_TRUE(profile_findings(profiled_launch(100, 90, 80, 0)).empty());
  Launch unknown = profiled_launch(1000, 1000, 1000, 20);
  std::erase_if(unknown.metrics, [](const Metric& metric) { return metric.name == "busy"; });
  EXPECT_TRUE(profile_findings(unknown).empty()) << "nobody knows of how much";
  const auto found = profile_findings(profiled_launch(1000, 1000, 1000, 20));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].is_error);
  EXPECT_EQ(found[0].text, "2.0 % of its kernels' time belong to no phase");
}

/// Checks launches as if they had run on a CPU.
std::vector<Finding> findings_on_processor(Launch launch, Launch limits) {
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

TEST(BusyMachine, AcceptsRatesAboveTheLimitOnACpu) {
  const auto busy = findings_on_processor(timing_launch(1.5), limits_launch());
  ASSERT_EQ(busy.size(), 1u);
  EXPECT_FALSE(busy[0].is_error);
  Launch limits = limits_launch();
  limits.metrics = {
      {"matrix_rate", "fp32", "flop/s", Samples(std::vector{kLimit / 9, kLimit}), ""}};
  EXPECT_TRUE(findings_on_processor(timing_launch(0.9), limits).empty())
      << "the best of several counts";
  const auto wrong = findings_on_processor(timing_launch(20), limits_launch());
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_TRUE(wrong[0].is_error);
}

TEST(BusyMachine, WarnsOfUnevenSteps) {
  Launch launch = timing_launch(0.2);
  const auto ns = static_cast<std::int64_t>(*metric_of(launch, "event", "forward").number());
  metric_of(launch, "step", "total") = sample_metric("step", "total", "ns", {ns, ns, 5 * ns});
  const auto found = timing_findings(launch);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].is_error);
  EXPECT_THAT(found[0].text, HasSubstr("its steps vary by 94 %"));
}

TEST(BusyMachine, WarnsOfASlowForwardPass) {
  labreport::Run run;
  run.devices = {Device{}};
  CellSpec spec = timing_spec();
  run.find_or_add(spec).launches = {timing_launch(0.8)};
  spec.mode = Mode::kInference;
  run.find_or_add(spec).launches = {timing_launch(0.08)};
  const auto found = check_plausibility(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].is_error);
  EXPECT_EQ(found[0].cell_id, cell_id(spec));
  EXPECT_THAT(found[0].text,
              HasSubstr("its forward pass takes 10 times as long as in timing.cuda"));
}

TEST(BusyMachine, AcceptsASlowFirstStep) {
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

CellSpec memory_spec() {
  CellSpec spec = small_cell(Mode::kInference);
  spec.kind = CellKind::kMemory;
  spec.context = 128;
  return spec;
}

Launch memory_launch() {
  const std::int64_t parameters = parameter_bytes(*memory_spec().model);
  const std::int64_t requested = parameters + 1000;
  const std::int64_t allocated = parameters + 5000;
  Launch launch;
  launch.device = 0;
  launch.metrics = {integer_metric("memory", "parameters", "B", parameters),
                    integer_metric("memory", "peak_requested", "B", requested),
                    integer_metric("memory", "peak_allocated", "B", allocated),
                    integer_metric("memory", "peak_reserved", "B", 2 * allocated),
                    integer_metric("history", "peak_requested", "B", requested),
                    integer_metric("history", "peak_allocated", "B", allocated),
                    integer_metric("history", "lost", "1", 0),
                    integer_metric("category", "parameters", "B", parameters),
                    integer_metric("category", "temporary", "B", 1000),
                    integer_metric("category", "unknown", "B", 0)};
  return launch;
}

/// Checks a plausible memory launch in which one metric has another value.
std::vector<Finding> findings_with(const std::string& tag, const std::string& name,
                                   std::int64_t value) {
  Launch launch = memory_launch();
  for (Metric& metric : launch.metrics) {
    if (metric.tag == tag && metric.name == name) {
      metric = integer_metric(tag, name, metric.unit, value);
    }
  }
  return findings_of(memory_spec(), launch);
}

TEST(RecordedMemory, FindsNothingInAGoodLaunch) {
  EXPECT_TRUE(findings_with("history", "lost", 0).empty());
}

TEST(RecordedMemory, AcceptsAMissingCategory) {
  Launch launch = memory_launch();
  for (Metric& metric : launch.metrics) {
    if (metric.name == "temporary") metric = absent_metric("category", "temporary", "B", "lost");
  }
  EXPECT_TRUE(findings_of(memory_spec(), launch).empty());
}

TEST(RecordedMemory, RefusesContradictionsAndWarnsOfLosses) {
  struct WrongMetric {
    const char *tag, *name;
    std::int64_t value;
    const char* text;
    bool is_error;
  };
  for (const auto& [tag, name, value, text, is_error] :
       {WrongMetric{"history", "peak_allocated", 1 << 30,
                    "with its history recorded 1,073,741,824 B", true},
        {"history", "lost", 3, "", false},
        {"category", "temporary", 2000, "its categories add up to", true},
        {"category", "unknown", 100 << 20, "100.0 MiB of its peak are of unknown use", false}}) {
    const auto found = findings_with(tag, name, value);
    EXPECT_TRUE(std::ranges::any_of(found,
                                    [&](const Finding& finding) {
                                      return finding.is_error == is_error &&
                                             finding.text.find(text) != std::string::npos;
                                    }))
        << tag << ' ' << name;
  }
}

}  // namespace
}  // namespace labreport::plausibility_test
