// What the problem of FSDP plans, and what it says of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/fsdp_accounting/gathers.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

using fsdp_accounting::all_blocks;
using fsdp_accounting::block_gathers;
using fsdp_accounting::BlockGather;
using fsdp_accounting::in_time;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::only;
using testing_samples::part_of;

constexpr const char* kProblem = "fsdp_accounting";

std::string answer(const std::string& letter, const Change& change = testing_samples::as_it_is) {
  const auto run = measured(only(kProblem, Preset::kFull, "2026"), change);
  return part_of(run, std::string(kProblem) + "." + letter).answer;
}

/// A column of the gathers, in one precision, set from what it was.
Change gathers(Precision precision, std::string_view column, double factor) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.sharding != Sharding::kWeights || spec.precision != precision) return;
    for (Table& table : launch.tables) {
      if (table.name != metric::kGathers) continue;
      const auto at = static_cast<std::size_t>(
          std::ranges::find(table.columns, column, &TableColumn::name) - table.columns.begin());
      for (auto& row : table.rows) {
        row[at] = static_cast<std::int64_t>(factor *
                                            static_cast<double>(std::get<std::int64_t>(row[at])));
      }
    }
  };
}

TEST(FsdpPlan, SetsWeightsBesideTheOptimizerAndNothing) {
  std::vector<std::pair<Precision, Sharding>> planned;
  for (const CellSpec& spec : testing_samples::planned(only(kProblem, Preset::kFull, "2026"))) {
    EXPECT_EQ(spec.size, "xl");
    EXPECT_EQ(spec.ranks, (Ranks{2, Collectives::kNccl}));
    planned.emplace_back(*spec.precision, *spec.sharding);
  }
  EXPECT_THAT(planned, ElementsAre(std::pair(Precision::kFp32, Sharding::kNone),
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
  const auto doubled = [](const CellSpec& spec, Launch& launch) {
    if (spec.sharding != Sharding::kWeights) return;
    for (auto& row : launch.tables.front().rows) row[4] = 3 * std::get<std::int64_t>(row[4]);
  };
  EXPECT_THAT(answer("a", doubled), HasSubstr("higher**"));
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

TEST(FsdpMemory, NamesLossesThatDiffer) {
  const auto other = [](const CellSpec& spec, Launch& launch) {
    if (spec.sharding != Sharding::kWeights || spec.precision != Precision::kFp32) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kLosses) metric.data = Samples(std::vector<double>{9.2, 9.9});
    }
  };
  EXPECT_THAT(answer("a", other), HasSubstr("The losses of xl in FP32 differ by 7.6 %"));
  EXPECT_THAT(answer("a"), Not(HasSubstr("losses")));
}

TEST(FsdpMemory, ComparesLossesIn16BitsBeforeRoundingGrows) {
  const auto losses = [](std::vector<double> samples) {
    return [samples](const CellSpec& spec, Launch& launch) {
      if (spec.sharding != Sharding::kWeights || spec.precision != Precision::kBf16) return;
      for (Metric& metric : launch.metrics) {
        if (metric.tag == metric::kLosses) metric.data = Samples(samples);
      }
    };
  };
  EXPECT_THAT(answer("a", losses({9.2, 9.2, 9.9, 9.2})), Not(HasSubstr("losses")));
  EXPECT_THAT(answer("a", losses({9.2, 9.9, 9.2, 9.2})),
              HasSubstr("The losses of xl in BF16, of its first two steps, differ by 7.6 %"));
}

TEST(FsdpGathers, NameWhatIsLateAndWhatQueues) {
  const auto late = [](std::string_view matrix, std::int64_t wait) {
    return [matrix, wait](const CellSpec& spec, Launch& launch) {
      if (spec.sharding != Sharding::kWeights) return;
      for (auto& row : launch.tables.back().rows) {
        if (std::get<std::string>(row[1]).ends_with(matrix)) row[4] = wait;
      }
    };
  };
  EXPECT_THAT(answer("b", late("ffn.w1", 1'000'000)),
              AllOf(HasSubstr("late in most blocks are ffn.w1."),
                    Not(HasSubstr("late in most blocks are ffn.w1 and"))));
  EXPECT_THAT(answer("b", late("ffn.w1", 1'000'000'000)),
              AllOf(HasSubstr("gathers queue behind the reduce-scatters"),
                    Not(HasSubstr("backward: **yes**"))));
  EXPECT_THAT(answer("b"), Not(HasSubstr("queue behind")));
}

/// All samples of a metric.
void set_ms(Launch& launch, std::string_view tag, std::string_view name, std::int64_t ms) {
  for (Metric& metric : launch.metrics) {
    if (metric.tag != tag || metric.name != name) continue;
    for (auto& ns : std::get<std::vector<std::int64_t>>(std::get<Samples>(metric.data))) {
      ns = ms * 1'000'000;
    }
  }
}

/// Phases that save 73 ms in all, of steps that take 711 ms, or `plain_ms`, and 637 ms.
Change saving_73_ms(std::int64_t plain_ms) {
  return [plain_ms](const CellSpec& spec, Launch& launch) {
    const bool sharded = spec.sharding == Sharding::kWeights;
    set_ms(launch, metric::kStep, metric::kTotal, sharded ? 637 : plain_ms);
    set_ms(launch, metric::kSynced, metric::kForward, sharded ? 193 : 177);
    set_ms(launch, metric::kSynced, metric::kBackward, sharded ? 382 : 361);
    set_ms(launch, metric::kSynced, metric::kAllReduce, sharded ? 3 : 60);
    set_ms(launch, metric::kSynced, metric::kOptimizer, sharded ? 63 : 116);
  };
}

TEST(FsdpSteps, AreExplainedByPhasesThatAddUpToTheirDifference) {
  EXPECT_THAT(answer("b", saving_73_ms(711)), HasSubstr("saves 53.0 ms and the all-reduce"));
  EXPECT_THAT(answer("b", saving_73_ms(660)),
              AllOf(HasSubstr("A step of xl in FP32 takes"), Not(HasSubstr("saves 53.0 ms"))));
}

TEST(FsdpSteps, AreNotExplainedWithoutEachPhase) {
  const auto without = [](const CellSpec& spec, Launch& launch) {
    saving_73_ms(711)(spec, launch);
    if (spec.sharding != Sharding::kWeights) return;
    std::erase_if(launch.metrics, [](const Metric& metric) {
      return metric.tag == metric::kSynced && metric.name == metric::kAllReduce;
    });
  };
  EXPECT_THAT(answer("b", without), Not(HasSubstr("saves 53.0 ms")));
}

TEST(FsdpGathers, CountNoGatherWithoutATime) {
  const auto without = [](const CellSpec& spec, Launch& launch) {
    if (spec.sharding != Sharding::kWeights || spec.precision != Precision::kBf16) return;
    for (auto& row : launch.tables.back().rows) {
      if (std::get<std::string>(row[1]) == "layers.0.ffn.w1") row[4] = Scalar();
    }
  };
  EXPECT_THAT(answer("b", without), HasSubstr("none of the 223 gathers"));
}

TEST(FsdpGathers, AreInTimeInFp32AndNotInBf16) {
  EXPECT_THAT(answer("b"),
              AllOf(HasSubstr("xl in FP32, forward: **yes**, all 224 gathers"),
                    Not(HasSubstr("100.0 % were hidden")),
                    HasSubstr("xl in BF16, forward: **no**, none of the 224 gathers"),
                    HasSubstr("50.0 % were hidden"), Not(HasSubstr("because they take longer"))));
}

TEST(FsdpGathers, ThatTakeLongerThanTheBlockCannotHide) {
  EXPECT_THAT(answer("b", gathers(Precision::kBf16, column::kAloneNs, 1e6)),
              AllOf(HasSubstr("**yes**"), Not(HasSubstr("because"))))
      << "whatever was in time needs no excuse";
  const auto both = [](const CellSpec& spec, Launch& launch) {
    gathers(Precision::kBf16, column::kAloneNs, 1e6)(spec, launch);
    gathers(Precision::kBf16, column::kWaitNs, 1e6)(spec, launch);
  };
  EXPECT_THAT(answer("b", both), HasSubstr("because they take longer than"));
}

TEST(FsdpGathers, CountAsInTimeBelowATwentiethOrTheClocksOwnError) {
  EXPECT_TRUE(in_time(0, 1e6));
  EXPECT_TRUE(in_time(50'000, 1e6));
  EXPECT_FALSE(in_time(50'001, 1e6));
  EXPECT_TRUE(in_time(10'000, 1e3));
  EXPECT_FALSE(in_time(10'001, 1e3));
}

TEST(FsdpGathers, AreSummedByBlock) {
  const auto run = measured(only(kProblem, Preset::kFull, "2026"));
  const Launch& launch = run.cells[2].launches.front();
  const std::vector<BlockGather> blocks = block_gathers(launch);
  ASSERT_EQ(blocks.size(), 2u * (32 + 2) - 1) << "no gather of the embedding in backward";
  EXPECT_EQ(blocks[0].block, "token_embeddings");
  EXPECT_FALSE(blocks[0].is_block());
  EXPECT_EQ(blocks[1].block, "layers.0");
  EXPECT_EQ(blocks[1].layers, 7);
  EXPECT_NEAR(blocks[1].bytes, 419.4e6, 0.1e6) << "104.86 M weights of one block";
  EXPECT_NEAR(all_blocks(blocks, metric::kForward)->bytes, 32 * blocks[1].bytes, 1);
  EXPECT_FALSE(all_blocks({}, metric::kForward));
}

}  // namespace
}  // namespace labreport
