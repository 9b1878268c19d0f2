// The FSDP problem: its plan, and its sentences where they hold and where not.
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

std::string answer(const std::string& letter, const Change& change = as_it_is) {
  const auto run = measured(only(kProblem, Preset::kFull, "2026"), change);
  return part_of(run, std::string(kProblem) + "." + letter).answer;
}

Change of_weights(Change change, std::optional<Precision> precision = {}) {
  return where(
      [=](const CellSpec& spec) {
        return spec.sharding == Sharding::kWeights &&
               precision.value_or(*spec.precision) == spec.precision;
      },
      std::move(change));
}

TEST(FsdpPlan, SetsWeightsBesideTheOptimizerAndNothing) {
  std::vector<std::pair<Precision, Sharding>> pairs;
  for (const CellSpec& spec : planned(only(kProblem, Preset::kFull, "2026"))) {
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

TEST(FsdpMemory, ExpectsWhatTheHandoutsArithmeticDoes) {
  EXPECT_THAT(
      answer("a"),
      AllOf(
          HasSubstr("With xl in FP32, a rank keeps 25.38 GiB"),
          HasSubstr("Compared with *optimizer state sharded* we expect **12.69 GiB** less of these "
                    "and, by the formulas, 6.55 GiB less at the peak"),
          HasSubstr("Compared with *nothing sharded* we expect **25.38 GiB** less of"),
          HasSubstr("That peak lies at the start of backward"),
          HasSubstr("autocast's 16-bit copies of the weights, 6.09 GiB, are gone"),
          HasSubstr("lower**"), Not(HasSubstr("higher"))));
}

TEST(FsdpMemory, SaysWhereAPeakIsHigher) {
  const auto tripled = [](const NamedRow& row) { row.scale(column::kPeakBytes, 3); };
  EXPECT_THAT(answer("a", of_weights(each_row(metric::kHeld, tripled))), HasSubstr("higher**"));
}

TEST(FsdpMemory, OfOneGpuSaysWhatTheHostLacks) {
  const auto on_one_gpu = [](const CellSpec&, Launch& launch) {
    end_with(launch, Skipped{"this host has 1 GPU"});
  };
  EXPECT_THAT(answer("a", on_one_gpu),
              AllOf(HasSubstr("we expect **25.38 GiB** less of these"),
                    HasSubstr("this host has 1 GPU"), Not(HasSubstr("the step peaks"))));
  EXPECT_THAT(answer("b", on_one_gpu), HasSubstr("nothing was gathered"));
}

TEST(FsdpMemory, NamesLossesThatDifferIn16BitsBeforeRoundingGrows) {
  const auto with = [](std::vector<double> samples, Precision precision) {
    return answer("a", of_weights(losses(std::move(samples)), precision));
  };
  EXPECT_THAT(answer("a"), Not(HasSubstr("losses")));
  EXPECT_THAT(with({9.2, 9.9}, Precision::kFp32),
              HasSubstr("The losses of xl in FP32 differ by 7.6 %"));
  EXPECT_THAT(with({9.2, 9.2, 9.9, 9.2}, Precision::kBf16), Not(HasSubstr("losses")));
  EXPECT_THAT(with({9.2, 9.9, 9.2, 9.2}, Precision::kBf16),
              HasSubstr("The losses of xl in BF16, of its first two steps, differ by 7.6 %"));
}

TEST(FsdpGathers, NameWhatIsLateAndWhatQueues) {
  const auto late_by = [](std::int64_t wait) {
    return of_weights(each_row(metric::kGathers, [=](const NamedRow& row) {
      if (row.has(column::kModule, "ffn.w1")) row[column::kWaitNs] = wait;
    }));
  };
  EXPECT_THAT(answer("b", late_by(1'000'000)), HasSubstr("late in most blocks are ffn.w1."));
  EXPECT_THAT(answer("b", late_by(1'000'000'000)),
              AllOf(HasSubstr("gathers queue behind the reduce-scatters"),
                    Not(HasSubstr("backward: **yes**"))));
  EXPECT_THAT(answer("b"), Not(HasSubstr("queue behind")));
}

/// Phases that save 73 ms in all, of steps that take 711 ms, or `plain_ms`, and 637 ms.
Change saving_73_ms(std::int64_t plain_ms) {
  return [plain_ms](const CellSpec& spec, Launch& launch) {
    const bool sharded = spec.sharding == Sharding::kWeights;
    const auto set = [&](std::string_view tag, std::string_view name, std::int64_t ms) {
      each_sample(tag, name, [=](double, std::size_t) { return 1e6 * static_cast<double>(ms); })(
          spec, launch);
    };
    set(metric::kStep, metric::kTotal, sharded ? 637 : plain_ms);
    set(metric::kSynced, metric::kForward, sharded ? 193 : 177);
    set(metric::kSynced, metric::kBackward, sharded ? 382 : 361);
    set(metric::kSynced, metric::kAllReduce, sharded ? 3 : 60);
    set(metric::kSynced, metric::kOptimizer, sharded ? 63 : 116);
  };
}

TEST(FsdpSteps, AreExplainedByPhasesThatAddUpToTheirDifference) {
  EXPECT_THAT(answer("b", saving_73_ms(711)), HasSubstr("saves 53.0 ms and the all-reduce"));
  EXPECT_THAT(answer("b", saving_73_ms(660)),
              AllOf(HasSubstr("A step of xl in FP32 takes"), Not(HasSubstr("saves 53.0 ms"))));
  const auto one_lacks = of_weights(without(metric::kSynced, metric::kAllReduce));
  EXPECT_THAT(answer("b", both(saving_73_ms(711), one_lacks)), Not(HasSubstr("saves 53.0 ms")));
}

TEST(FsdpGathers, CountNoGatherWithoutATime) {
  const auto untimed = [](const NamedRow& row) {
    if (row.has(column::kModule, "layers.0.ffn.w1")) row[column::kWaitNs] = Scalar();
  };
  EXPECT_THAT(answer("b", of_weights(each_row(metric::kGathers, untimed), Precision::kBf16)),
              HasSubstr("none of the 223 gathers"));
}

TEST(FsdpGathers, CountAsInTimeBelowATwentiethOrTheClocksOwnError) {
  using fsdp_accounting::in_time;
  EXPECT_TRUE(in_time(50'000, 1e6));
  EXPECT_FALSE(in_time(50'001, 1e6));
  EXPECT_TRUE(in_time(10'000, 1e3));
  EXPECT_FALSE(in_time(10'001, 1e3));
}

TEST(FsdpGathers, AreInTimeInFp32AndNotInBf16) {
  EXPECT_THAT(answer("b"),
              AllOf(HasSubstr("xl in FP32, forward: **yes**, all 224 gathers"),
                    Not(HasSubstr("100.0 % were hidden")),
                    HasSubstr("xl in BF16, forward: **no**, none of the 224 gathers"),
                    HasSubstr("50.0 % were hidden"), Not(HasSubstr("because they take longer"))));
}

TEST(FsdpGathers, ThatTakeLongerThanTheBlockCannotHide) {
  const auto longer = [](bool late) {
    return of_weights(each_row(metric::kGathers,
                               [=](const NamedRow& row) {
                                 row.scale(column::kAloneNs, 1e6);
                                 if (late) row.scale(column::kWaitNs, 1e6);
                               }),
                      Precision::kBf16);
  };
  EXPECT_THAT(answer("b", longer(false)), AllOf(HasSubstr("**yes**"), Not(HasSubstr("because"))))
      << "whatever was in time needs no excuse";
  EXPECT_THAT(answer("b", longer(true)), HasSubstr("because they take longer than"));
}

}  // namespace
}  // namespace labreport::fsdp_test
