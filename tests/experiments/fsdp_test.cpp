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
  const auto missing_gradients = HasSubstr("the 6.35 GiB of gradients that sharding saves");
  EXPECT_THAT(answer("a"), AllOf(HasSubstr("we expect **12.7 GiB** less"), missing_gradients));
  const auto triple_peak = [](const NamedRow& row) { row.scale(column::kPeakBytes, 3); };
  EXPECT_THAT(answer("a", with_sharded_weights(each_row(metric::kHeld, triple_peak))),
              AllOf(HasSubstr("With labreport the step peaks"), Not(missing_gradients)));
}

TEST(FsdpMemory, HasOnlyExpectedBytesOnOneGpu) {
  const auto on_one_gpu = [](const CellSpec&, Launch& launch) {
    end_with(launch, Skipped{"this host has 1 GPU"});
  };
  EXPECT_THAT(answer("a", on_one_gpu),
              AllOf(HasSubstr("we expect **12.7 GiB** less than with"), Not(HasSubstr("peaks"))));
  EXPECT_EQ(answer("b", on_one_gpu), "This run does not answer this question.");
}

TEST(FsdpMemory, NamesDifferentLossesIn16BitsOnlyInTheFirstSteps) {
  const auto findings = [](const Change& change) {
    const auto run = fake_run(input_for(kProblem, Preset::kFull, "2026"), change);
    return part_of(run, std::string(kProblem) + ".a").details.findings;
  };
  const auto findings_with_losses = [&](std::vector<double> samples, Precision precision) {
    return findings(with_sharded_weights(with_losses(std::move(samples)), precision));
  };
  EXPECT_EQ(findings(unchanged), "");
  EXPECT_THAT(findings_with_losses({9.2, 9.9}, Precision::kFp32),
              HasSubstr("The losses of xl in FP32 differ by 7.6 %"));
  EXPECT_EQ(findings_with_losses({9.2, 9.2, 9.9, 9.2}, Precision::kBf16), "");
  EXPECT_THAT(findings_with_losses({9.2, 9.9, 9.2, 9.2}, Precision::kBf16),
              HasSubstr("The losses of xl in BF16 in its first two steps differ by 7.6 %"));
}

Change with_gathers(Precision precision, std::int64_t wait_ns, double alone_factor = 1) {
  return with_sharded_weights(each_row(metric::kGathers,
                                       [=](const NamedRow& row) {
                                         row[column::kWaitNs] = wait_ns;
                                         row.scale(column::kAloneNs, alone_factor);
                                       }),
                              precision);
}

TEST(FsdpGathers, AreToldOf16BitsIfMoreAreLateThanInFp32) {
  const auto told = HasSubstr("In BF16, **all** are late, **all** in backward");
  EXPECT_THAT(answer("b", with_gathers(Precision::kBf16, 20'000)), told);
  EXPECT_THAT(answer("b", with_gathers(Precision::kBf16, 100)), Not(HasSubstr("In BF16")))
      << "none is late";
}

TEST(FsdpGathers, AreDelayedIfTheyAreLateBesideLongerGemms) {
  const auto delayed = HasSubstr("ms or more delay w2's and w3's, alone at most");
  EXPECT_THAT(answer("b", with_gathers(Precision::kFp32, 100'000)), delayed);
  EXPECT_THAT(answer("b", with_gathers(Precision::kFp32, 100)), Not(delayed)) << "in time";
  EXPECT_THAT(answer("b", with_gathers(Precision::kFp32, 1'000'000, 10)), Not(delayed))
      << "gathers last longer than GEMMs";
}

TEST(FsdpGathers, MarkWaitsThatExceedHowMuchLongerTheirPassIs) {
  const auto marks = [](std::int64_t wait_ns) {
    const auto run = fake_run(input_for(kProblem, Preset::kFull, "2026"),
                              with_gathers(Precision::kBf16, wait_ns));
    const Part shown = part_of(run, std::string(kProblem) + ".b");
    return lines_of(shown.figures.front().table).back();
  };
  EXPECT_THAT(marks(1'000'000'000), HasSubstr("waits of other steps"));
  EXPECT_THAT(marks(0), Not(HasSubstr("waits of other steps")));
}

TEST(FsdpGathers, CountNoGatherWithoutATime) {
  const auto without_a_wait = [](const NamedRow& row) {
    if (row.has(column::kModule, "layers.0.ffn.w1")) row[column::kWaitNs] = Scalar();
  };
  const auto run = fake_run(input_for(kProblem, Preset::kFull, "2026"),
                            with_sharded_weights(each_row(metric::kGathers, without_a_wait)));
  const Part shown = part_of(run, std::string(kProblem) + ".b");
  EXPECT_EQ(texts_in(shown.figures.front().table, "Gathers").front(), "223")
      << "each of xl's 32 blocks gathers seven weights";
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
