#include "analysis/measures.h"

#include <gmock/gmock.h>

#include "results/metric_names.h"
#include "results/table_shapes.h"

#include "plan/sample_cell.h"

namespace labreport::measures_test {
namespace {

using testing::ElementsAre;

/// Returns a cell with two warm-up steps, whose only launch recorded three steps in ns.
Cell cell_of_kind(CellKind kind) {
  Cell cell;
  cell.spec.kind = kind;
  cell.spec.warmup = 2;
  cell.launches.emplace_back().metrics = {
      sample_metric("step", "total", "ns", std::vector<std::int64_t>{900, 500, 100})};
  return cell;
}

TEST(Measures, CountEveryRecordedStepOfShardedTraining) {
  EXPECT_THAT(measures_of(cell_of_kind(CellKind::kSharding).spec), ElementsAre(Measure::kStep));
  EXPECT_THAT(launch_values(cell_of_kind(CellKind::kSharding), Measure::kStep), ElementsAre(500))
      << "its warm-up is not among them";
  EXPECT_THAT(launch_values(cell_of_kind(CellKind::kDataParallel), Measure::kStep),
              ElementsAre(100));
}

/// Returns a launch of all-reduces of 1 MB. Each rank's time in ns is the median of its
/// synchronized calls, or else the mean of its calls in place.
Launch all_reduce_launch(std::string_view method, const std::vector<std::int64_t>& rank_ns) {
  Table table = empty_table(metric::kAllReduce);
  const bool is_synced = method == metric::kSynced;
  for (std::size_t rank = 0; rank < rank_ns.size(); ++rank) {
    const std::int64_t mean = is_synced ? 9 * rank_ns[rank] : rank_ns[rank];
    const Scalar median = is_synced ? Scalar(rank_ns[rank]) : Scalar();
    table.rows.push_back({std::int64_t{1'000'000}, std::string(method),
                          static_cast<std::int64_t>(rank), std::int64_t{20}, mean, Scalar(),
                          Scalar(), median, Scalar(), std::int64_t{0}, std::int64_t{0}});
  }
  Launch launch;
  launch.tables = {table};
  return launch;
}

TEST(Measures, UseTheSlowestRankOfAnAllReduce) {
  Cell cell = cell_of_kind(CellKind::kAllReduce);
  Launch both = all_reduce_launch(metric::kSynced, {70, 75});
  const Launch in_place = all_reduce_launch(metric::kInPlace, {60, 50});
  both.tables.front().rows.insert(both.tables.front().rows.end(),
                                  in_place.tables.front().rows.begin(),
                                  in_place.tables.front().rows.end());
  cell.launches = {all_reduce_launch(metric::kSynced, {70, 75}), both};
  EXPECT_THAT(launch_values(cell, Measure::kAllReduce1Mb), ElementsAre(75, 60));
  EXPECT_THAT(launch_values(cell, Measure::kAllReduce10Mb), ElementsAre()) << "not swept";
}

/// Returns a cell whose launches took these steps in ns, of which the first `warmup` do not count.
Cell cell_of_steps(std::int64_t warmup, std::vector<std::vector<std::int64_t>> launches) {
  Cell cell;
  cell.spec.warmup = warmup;
  for (auto& steps : launches) {
    cell.launches.emplace_back().metrics = {sample_metric("step", "total", "ns", std::move(steps))};
  }
  return cell;
}

TEST(LaunchMean, IgnoresWarmUpSteps) {
  EXPECT_THAT(
      launch_values(cell_of_steps(2, {{900, 500, 10, 50, 30}, {900, 500, 12, 14}}), Measure::kStep),
      ElementsAre(30, 13));
}

TEST(LaunchMean, IgnoresLaunchesWithoutCountedSteps) {
  Cell cell = cell_of_steps(1, {{900}, {900, 7}, {900, 8}});
  cell.launches[2].outcome = Failed{"shape mismatch"};
  EXPECT_THAT(launch_values(cell, Measure::kStep), ElementsAre(7));
}

constexpr double kProbedRates[]{70e12, 60e12, 50e12};  // FLOP/s

/// Returns a profile of the small network's forward pass in which the GEMMs of w1 run at `rate`,
/// and a helper of theirs takes as long as they do.
Cell profile_at(double rate) {
  Cell cell;
  cell.spec = small_cell(Mode::kForward);
  cell.spec.kind = CellKind::kKernels;
  const double flops = 2.0 * 4 * 512 * 768 * 3072;  // B·S tokens, d, d_ff
  constexpr std::int64_t kLayers = 12;
  const auto half_ns = static_cast<std::int64_t>(kLayers * flops / rate * 1e9 / 2);
  Launch& launch = cell.launches.emplace_back();
  launch.tables = {{"kernels",
                    {{"phase", "1"},
                     {"module", "1"},
                     {"operation", "1"},
                     {"operator", "1"},
                     {"class", "1"},
                     {"instances", "1"},
                     {"total_ns", "ns"}},
                    {}}};
  for (const char* kernel_class : {"gemm", "gemm helper"}) {
    launch.tables.front().rows.push_back({std::string("forward"), std::string("layers/ffn/w1"),
                                          std::string("aten::linear"), std::string("aten::mm"),
                                          std::string(kernel_class), kLayers, half_ns});
  }
  return cell;
}

Limits limits_with(const Cell& profile) {
  Run run;
  Cell probe = cell_of_kind(CellKind::kLimits);
  probe.launches.front().metrics = {
      {"matrix_rate", "fp32", "flop/s",
       Samples(std::vector<double>{kProbedRates[1], kProbedRates[0], kProbedRates[2]}), ""},
      real_metric("copy", "bandwidth", "B/s", 4e12)};
  run.cells = {probe, profile};
  return measured_limits(run);
}

TEST(Limits, HaveThePeakOfTheFastestGemmInProbeOrProfile) {
  const double gemm_rate = 80e12;
  EXPECT_NEAR(limits_with(profile_at(gemm_rate)).peak_gemm_rates.at(Precision::kFp32), gemm_rate,
              1e-3 * gemm_rate);
  EXPECT_EQ(limits_with(profile_at(40e12)).peak_gemm_rates.at(Precision::kFp32), kProbedRates[0]);
}

TEST(Limits, CallTheProbesMedianSustained) {
  const Limits limits = limits_with(profile_at(80e12));
  EXPECT_EQ(limits.sustained_gemm_rates.at(Precision::kFp32), kProbedRates[1]);
  EXPECT_EQ(limits.copy_bandwidth, 4e12);
}

TEST(Limits, IgnoreProfilesOfAUsersNetworkAndOfOtherPrecisions) {
  Cell other = profile_at(80e12);
  other.spec.implementation = "Net-0a1b2c3d";
  EXPECT_EQ(limits_with(other).peak_gemm_rates.at(Precision::kFp32), kProbedRates[0]);
  other = profile_at(80e12);
  other.spec.precision = Precision::kBf16;
  EXPECT_EQ(limits_with(other).peak_gemm_rates.size(), 1u) << "its GEMM rate was not probed";
}

}  // namespace
}  // namespace labreport::measures_test
