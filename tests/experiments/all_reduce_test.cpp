// Tests the all-reduce problem: its plan, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include <algorithm>

#include "document/comparison/diff_document.h"
#include "experiments/common/all_reduces.h"
#include "experiments/sample_runs.h"
#include "plan/datasheet.h"

namespace labreport::all_reduce_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

constexpr const char* kProblem = "distributed_communication_single_node";

PlanInput all_reduce_input(Preset preset = Preset::kFull, const char* edition = "2025") {
  return input_for(kProblem, preset, edition);
}

std::vector<std::string> cell_ids(const PlanInput& input) {
  std::vector<std::string> ids;
  for (const CellSpec& spec : planned(input)) ids.push_back(cell_id(spec));
  return ids;
}

/// Skips the cells that need more GPUs than a host with this number has.
Change on_gpus(std::int64_t gpus) {
  return [gpus](const CellSpec& spec, Launch& launch) {
    if (spec.device == DeviceKind::kCpu || spec.ranks->count <= gpus) return;
    end_with(launch, Skipped{"this host has " + std::to_string(gpus) + " GPUs"});
  };
}

/// Multiplies one library's times at the sizes for which `has_size` is true.
Change scale_times(Collectives library, double factor, std::function<bool(std::int64_t)> has_size) {
  const auto scale_row = [=](const NamedRow& row) {
    if (!has_size(row.number(column::kBytes))) return;
    for (const auto name : kTimeStatistics) {
      if (name != column::kCount) row.scale(name, factor);
    }
  };
  return where([=](const CellSpec& spec) { return spec.ranks->collectives == library; },
               each_row(metric::kAllReduce, scale_row));
}

Part part(const Change& change = unchanged, const PlanInput& input = all_reduce_input()) {
  return part_of(fake_run(input, change), kProblem);
}

bool is_one_mb(std::int64_t bytes) { return bytes == 1'000'000; }

TEST(AllReducePlan, HasGlooOnlyIn2025) {
  EXPECT_THAT(cell_ids(all_reduce_input()),
              ElementsAre("all_reduce.cpu.gloo.r2.m1000000000.w5.n20",
                          "all_reduce.cpu.gloo.r4.m1000000000.w5.n20",
                          "all_reduce.cpu.gloo.r6.m1000000000.w5.n20",
                          "all_reduce.cuda.nccl.r2.m1073741824.w5.n20",
                          "all_reduce.cuda.nccl.r4.m1073741824.w5.n20",
                          "all_reduce.cuda.nccl.r6.m1073741824.w5.n20"));
  EXPECT_EQ(cell_ids(all_reduce_input(Preset::kFull, "2026")).size(), 3u);
  EXPECT_THAT(cell_ids(all_reduce_input(Preset::kDemo, "2026")),
              ElementsAre("all_reduce.cpu.gloo.r2.m10000000.w5.n20"));
}

/// Returns timings with 20 µs of latency and a bandwidth of 300 GB/s. Slow sizes take three times
/// as long.
std::vector<AllReduceTiming> fake_timings(const std::vector<std::int64_t>& slow_sizes) {
  std::vector<AllReduceTiming> timings;
  for (std::int64_t bytes = 1024; bytes <= 1 << 30; bytes *= 2) {
    const bool is_slow = std::ranges::find(slow_sizes, bytes) != slow_sizes.end();
    const double ns = 2e4 + static_cast<double>(bytes) / 300;
    timings.push_back({.bytes = bytes, .slowest_ns = is_slow ? 3 * ns : ns, .disturbed = is_slow});
  }
  return timings;
}

TEST(LineThrough, FindsLatencyAndBandwidthOfAllSizesDespiteDisturbedTimes) {
  const auto line = line_through(fake_timings({2048, 65'536, 131'072}));
  EXPECT_NEAR(line->latency_ns, 2e4, 1e2);
  EXPECT_NEAR(line->bytes_per_second, 300e9, 1e8);
  EXPECT_NEAR(line->largest_relative_error, 2 / 3., 0.01) << "disturbed sizes count, too";
}

TEST(LineThrough, IsNoneIfTimesFallWithSizeOrAreTwo) {
  EXPECT_FALSE(line_through({{.bytes = 1, .slowest_ns = 3},
                             {.bytes = 2, .slowest_ns = 2},
                             {.bytes = 3, .slowest_ns = 1}}));
  EXPECT_FALSE(line_through({{.bytes = 1, .slowest_ns = 1}, {.bytes = 2, .slowest_ns = 2}}));
}

TEST(Links, AreKnownOnlyIfTheGpusNameDeterminesThem) {
  EXPECT_EQ(datasheet_link("NVIDIA H100 80GB HBM3")->bytes_per_second, 450e9);
  EXPECT_EQ(datasheet_link("NVIDIA H200")->name, "NVLink");
  EXPECT_EQ(datasheet_link("NVIDIA A100-SXM4-40GB")->bytes_per_second, 300e9);
  EXPECT_EQ(datasheet_link("NVIDIA L4")->name, "PCIe");
  EXPECT_FALSE(datasheet_link("NVIDIA H100 PCIe"));
  EXPECT_FALSE(datasheet_link("NVIDIA H100 80GB HBM3 MIG 1g.10gb"));
}

TEST(AllReduceAnswer, ComparesSizesRanksAndLibraries) {
  EXPECT_EQ(
      part().answer,
      "Over NCCL among 2 ranks 1 MB takes **0.0233 ms**, 1 GB takes **3.35 ms**, **298 GB/s** "
      "busbw of NVLink’s 450 one way. Among 6 ranks a ring sends 1.67 times the bytes: 1 GB "
      "takes 1.66 times as long, 1 MB about as long. Over Gloo 1 GB takes 150 "
      "times as long, 1 MB 30 times as long.");
}

TEST(AllReduceAnswer, MarksASizeThatTakesLongerThanALargerOne) {
  const Part shown = part(scale_times(Collectives::kNccl, 6, is_one_mb));
  EXPECT_THAT(shown.answer,
              AllOf(HasSubstr("among 2 ranks 10 MB takes"),
                    HasSubstr(", 1.05 MB 1.10 times as long."), Not(HasSubstr(" 1 MB takes"))));
  const auto rows = lines_of(table_of(shown, "grid"));
  EXPECT_THAT(rows[12], AllOf(HasSubstr("NCCL | 2 | 1 MB"), HasSubstr("0.14"),
                              HasSubstr("longer than a larger size")));
  EXPECT_THAT(rows[13], Not(HasSubstr("longer than")));
  const Part slightly_slower = part(scale_times(Collectives::kNccl, 1.05, is_one_mb));
  EXPECT_THAT(slightly_slower.answer, HasSubstr("1 MB takes **0.0245 ms**"))
      << "latencies scatter as much";
}

TEST(AllReduceAnswer, TellsWhyOtherRanksWereSkippedIfThereIsNothingToCompare) {
  const PlanInput nccl_alone = all_reduce_input(Preset::kFull, "2026");
  EXPECT_THAT(part(on_gpus(2), nccl_alone).answer,
              HasSubstr(" 4 and 6 ranks did not run: this host has 2 GPUs."));
  EXPECT_THAT(part(on_gpus(4), nccl_alone).answer, Not(HasSubstr("did not run")));
  EXPECT_THAT(part(on_gpus(2), nccl_alone).details.findings,
              HasSubstr("a ring sends 1.50 and 1.67 times as many bytes among 4 and 6 ranks as "));
  EXPECT_THAT(part().details.findings, Not(HasSubstr("a ring sends")));
}

TEST(AllReduceAnswer, CallsASizeLaunchBoundOnlyIfNcclAloneTakesMuchLess) {
  const auto slower_c10d = [](double factor) {
    return each_row(metric::kAllReduce, [=](const NamedRow& row) {
      if (row.has(column::kMethod, metric::kInPlace)) row.scale(column::kMeanNs, factor);
    });
  };
  EXPECT_THAT(
      part(slower_c10d(1.6)).answer,
      HasSubstr("Back to back, 1 MB takes **37.3 µs** through c10d, 23.3 µs through NCCL: it is "
                "launch-bound. Bandwidth bounds 100 MB and 1 GB."));
  EXPECT_THAT(part(slower_c10d(1.4)).answer, Not(HasSubstr("launch-bound")));
}

TEST(AllReduceFigure, FitsTheLineDespiteADisturbedSize) {
  const auto is_1_kib = [](std::int64_t bytes) { return bytes == 1024; };
  const Part shown = part(scale_times(Collectives::kNccl, 2, is_1_kib));
  EXPECT_THAT(texts_in(shown.figures.front().table, "α"), Contains("20.0"));
}

TEST(AllReduceMethod, SaysThatTheHostHasTooFewGpus) {
  const Part shown = part(on_gpus(2), all_reduce_input(Preset::kFull, "2026"));
  EXPECT_THAT(shown.details.method, HasSubstr("this run has times among 2 ranks."));
  EXPECT_THAT(lines_of(table_of(shown, "grid")),
              testing::Each(Not(HasSubstr("this host has 2 GPUs"))))
      << "the answer says so";
}

TEST(AllReduceAnswer, LeavesOutTimesOfWrongSums) {
  const auto wrong_sums = [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks->count != 2 || spec.device != DeviceKind::kCuda) return;
    each_row(metric::kAllReduce, [](const NamedRow& row) {
      if (is_one_mb(row.number(column::kBytes))) row[column::kWrong] = std::int64_t{3};
    })(spec, launch);
  };
  const Part shown = part(wrong_sums);
  EXPECT_THAT(shown.answer, HasSubstr("10 MB takes **0.0533 ms**, 1 GB"));
  EXPECT_THAT(lines_of(table_of(shown, "grid"))[12], HasSubstr("wrong sum"));
}

TEST(AllReduceMethod, NamesRoundsOnlyIfEveryLaunchHadThem) {
  const auto in_rounds_except = [](std::int64_t ranks) {
    return [ranks](const CellSpec& spec, Launch& launch) {
      if (spec.ranks->count == ranks) return;
      launch.conditions.push_back(integer_metric(metric::kCollectives, metric::kRounds, "1", 5));
    };
  };
  EXPECT_THAT(part(in_rounds_except(0)).details.method,
              HasSubstr("The sizes take turns in 5 rounds"));
  EXPECT_THAT(part(in_rounds_except(4)).details.method, Not(HasSubstr("rounds")));
}

TEST(AllReduceTables, LeaveOutARowWithoutItsTimes) {
  const auto without_times = [](const NamedRow& row) {
    if (is_one_mb(row.number(column::kBytes))) row[column::kMeanNs] = Scalar();
  };
  const Part shown = part(where(
      [](const CellSpec& spec) {
        return spec.ranks->count == 2 && spec.device == DeviceKind::kCuda;
      },
      each_row(metric::kAllReduce, without_times)));
  EXPECT_THAT(shown.answer, HasSubstr("10 MB takes **0.0533 ms**, 1 GB"));
  EXPECT_THAT(lines_of(table_of(shown, "grid"))[12], Not(HasSubstr("0.0")));
}

TEST(AllReduceComparison, ComparesTimeAndBusbwOfEachSize) {
  const PlanInput input = all_reduce_input(Preset::kQuick, "2026");
  const auto is_100_mb = [](std::int64_t bytes) { return bytes == 100'000'000; };
  const Document document = diff_document(
      compare_runs(fake_run(input), fake_run(input, scale_times(Collectives::kNccl, 2, is_100_mb))),
      {"a", ""}, {"b", ""});
  const Section& numbers = *std::ranges::find(document.sections, "All numbers", &Section::title);
  EXPECT_THAT(
      lines_of(numbers.parts.front().details.tables.front()),
      AllOf(Contains(HasSubstr("2 ranks over NCCL | 1 KiB | 0.02001 | 0.02001 | 1.00 |")),
            Contains(AllOf(HasSubstr("2 ranks over NCCL | 100 MB | 0.3533 | 0.7067 | 0.50 |"),
                           HasSubstr("| 283.0 | 141.5 |")))));
}

}  // namespace
}  // namespace labreport::all_reduce_test
