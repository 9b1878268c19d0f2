// Tests the FSDP problem: its plan, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include "experiments/fsdp_accounting/gathers.h"
#include "experiments/sample_runs.h"

namespace labreport::fsdp_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

constexpr const char* kProblem = "fsdp_accounting";

std::string answer(const std::string& letter, const Change& change = unchanged) {
  const auto run = fake_run(input_for(kProblem, Preset::kFull, "2026"), change);
  return part_of(run, std::string(kProblem) + "." + letter).answer;
}

Change with_sharded_weights(Change change, std::optional<Precision> precision = {}) {
  return where(
      [=](const CellSpec& spec) {
        return spec.sharding == Sharding::kWeights &&
               precision.value_or(*spec.precision) == spec.precision;
      },
      std::move(change));
}

TEST(FsdpPlan, HasStepsForEachSharding) {
  std::vector<std::pair<Precision, Sharding>> pairs;
  for (const CellSpec& spec : planned(input_for(kProblem, Preset::kFull, "2026"))) {
    EXPECT_EQ(spec.size, "xl");
    EXPECT_EQ(spec.ranks, (Ranks{2, Collectives::kNccl}));
    pairs.emplace_back(*spec.precision, *spec.sharding);
  }
  EXPECT_THAT(pairs, ElementsAre(std::pair(Precision::kFp32, Sharding::kNone),
                                 std::pair(Precision::kFp32, Sharding::kOptimizer),
                                 std::pair(Precision::kFp32, Sharding::kWeights),
                                 std::pair(Precision::kBf16, Sharding::kNone),
                                 std::pair(Precision::kBf16, Sharding::kWeights)));
}

TEST(FsdpMemory, AgreesWithTheHandoutsArithmetic) {
  EXPECT_THAT(answer("a"),
              AllOf(HasSubstr("With xl in FP32 we expect **12.7 GiB** less than with a sharded"),
                    HasSubstr("6.35 GiB of gradients that sharding saves are not there yet")));
  const auto triple_peak = [](const NamedRow& row) { row.scale(column::kPeakBytes, 3); };
  EXPECT_THAT(answer("a", with_sharded_weights(each_row(metric::kHeld, triple_peak))),
              AllOf(HasSubstr("GiB more."), Not(HasSubstr("not there yet"))));
}

TEST(FsdpMemory, HasOnlyExpectedBytesOnOneGpu) {
  const auto on_one_gpu = [](const CellSpec&, Launch& launch) {
    end_with(launch, Skipped{"this host has 1 GPU"});
  };
  EXPECT_THAT(answer("a", on_one_gpu), AllOf(HasSubstr("we expect **12.7 GiB** less than with"),
                                             Not(HasSubstr("the step peaks"))));
  EXPECT_THAT(answer("b", on_one_gpu), HasSubstr("nothing was gathered"));
}

TEST(FsdpMemory, NamesDifferentLossesIn16BitsOnlyInTheFirstSteps) {
  const auto answer_with_losses = [](std::vector<double> samples, Precision precision) {
    return answer("a", with_sharded_weights(with_losses(std::move(samples)), precision));
  };
  EXPECT_THAT(answer("a"), Not(HasSubstr("losses")));
  EXPECT_THAT(answer_with_losses({9.2, 9.9}, Precision::kFp32),
              HasSubstr("The losses of xl in FP32 differ by 7.6 %"));
  EXPECT_THAT(answer_with_losses({9.2, 9.2, 9.9, 9.2}, Precision::kBf16), Not(HasSubstr("losses")));
  EXPECT_THAT(answer_with_losses({9.2, 9.9, 9.2, 9.2}, Precision::kBf16),
              HasSubstr("The losses of xl in BF16 in its first two steps differ by 7.6 %"));
}

/// Makes the forward pass wait for the gathers of ffn.w1.
Change wait_for_w1(std::int64_t wait_ns) {
  return with_sharded_weights(each_row(metric::kGathers, [=](const NamedRow& row) {
    if (row.has(column::kModule, "ffn.w1")) row[column::kWaitNs] = wait_ns;
  }));
}

TEST(FsdpGathers, NameTheLateModules) {
  // Each of xl's 32 blocks gathers seven weights.
  EXPECT_THAT(answer("b"), HasSubstr("Yes: with xl in FP32 all 224 gathers"));
  EXPECT_THAT(answer("b", wait_for_w1(1'000'000)),
              AllOf(HasSubstr("Not all: with xl in FP32 **192 of 224** gathers"),
                    HasSubstr("late in most blocks are ffn.w1. A block waits"),
                    HasSubstr("although it computes for"), HasSubstr("does not show why.")));
}

TEST(FsdpGathers, CannotHideIfTheyTakeLongerThanTheBlock) {
  const auto slow_gathers = each_row(metric::kGathers, [](const NamedRow& row) {
    row.scale(column::kAloneNs, 1e6);
    row[column::kWaitNs] = static_cast<std::int64_t>(row.number(column::kAloneNs) / 2);
  });
  EXPECT_THAT(answer("b", with_sharded_weights(slow_gathers)),
              AllOf(HasSubstr("No: with xl in FP32 none of the 224 gathers"),
                    HasSubstr("because it computes for only")));
}

TEST(FsdpGathers, CountNoGatherWithoutATime) {
  const auto without_a_wait = [](const NamedRow& row) {
    if (row.has(column::kModule, "layers.0.ffn.w1")) row[column::kWaitNs] = Scalar();
  };
  EXPECT_THAT(answer("b", with_sharded_weights(each_row(metric::kGathers, without_a_wait))),
              HasSubstr("all 223 gathers"));
}

TEST(FsdpGathers, AreInTimeBelowATwentiethOrTheClocksError) {
  using fsdp_accounting::is_in_time;
  EXPECT_TRUE(is_in_time(50'000, 1e6));
  EXPECT_FALSE(is_in_time(50'001, 1e6));
  EXPECT_TRUE(is_in_time(10'000, 1e3));
  EXPECT_FALSE(is_in_time(10'001, 1e3));
}

}  // namespace
}  // namespace labreport::fsdp_test
