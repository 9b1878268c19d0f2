// Tests data-parallel training: its plan, and the runs in which each sentence appears.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "experiments/sample_runs.h"

namespace labreport::data_parallel_test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

PlanInput scheme_input(const std::string& selector = "data_parallel",
                       Preset preset = Preset::kFull) {
  return input_for(canonical_selector(selector), preset);
}

/// Lists the planned schemes: "flat", "bucketed.k1000000", …
std::vector<std::string> planned_schemes(const PlanInput& input) {
  std::vector<std::string> schemes;
  for (const CellSpec& spec : planned(input, CellKind::kDataParallel)) {
    std::string& scheme = schemes.emplace_back(name(*spec.scheme));
    if (spec.bucket_bytes) scheme += ".k" + std::to_string(*spec.bucket_bytes);
  }
  return schemes;
}

Part part(const std::string& letter, const Change& change = unchanged,
          const PlanInput& input = scheme_input()) {
  return part_of(fake_run(input, change), "data_parallel." + letter);
}

std::string answer(const std::string& letter, const Change& change = unchanged,
                   const PlanInput& input = scheme_input()) {
  return part(letter, change, input).answer;
}

Change in_scheme(Scheme scheme, Change change) {
  return where([=](const CellSpec& spec) { return spec.scheme == scheme; }, std::move(change));
}

Change with_bucket_cap(std::int64_t cap, Change change) {
  return where([=](const CellSpec& spec) { return spec.bucket_bytes == cap; }, std::move(change));
}

Change scale_rank_columns(const std::string& column, double factor) {
  return each_row(metric::kRankSteps, [=](const NamedRow& row) { row.scale(column, factor); });
}

Change scale_steps(double factor) {
  return combined(scaled(metric::kStep, metric::kTotal, factor),
                  scale_rank_columns(std::string(column::kMeanNs), factor));
}

Change scale_backward(double factor) {
  return scale_rank_columns(phase_column(metric::kBackward), factor);
}

/// Makes every other step longer by `share` and the others shorter, so that the mean stays.
Change vary_steps(double share) {
  return each_sample(metric::kStep, metric::kTotal, [=](double ns, std::size_t step) {
    return ns * (step % 2 == 0 ? 1 + share : 1 - share);
  });
}

TEST(DataParallelPlan, MeasuresEachSchemeAndAllEarlierOnes) {
  EXPECT_THAT(planned_schemes(scheme_input("naive_ddp")), ElementsAre("none", "per_parameter"));
  EXPECT_THAT(planned_schemes(scheme_input("minimal_ddp_flat")),
              ElementsAre("none", "per_parameter", "flat"));
  EXPECT_THAT(planned_schemes(scheme_input("ddp_overlap_individual_parameters_benchmarking")),
              ElementsAre("none", "per_parameter", "flat", "overlapped"));
  EXPECT_THAT(planned_schemes(scheme_input("ddp_bucketed")),
              ElementsAre("none", "per_parameter", "flat", "overlapped", "bucketed.k1000000",
                          "bucketed.k10000000", "bucketed.k100000000", "bucketed.k1000000000",
                          "reducer.k26214400"));
  EXPECT_EQ(planned_schemes(scheme_input()), planned_schemes(scheme_input("ddp_bucketed")));
  EXPECT_THROW(canonical_selector("naive_ddq"), InputError);
}

TEST(DataParallelPlan, SplitsTheHandoutsBatchAmongTwoGpus) {
  EXPECT_EQ(cell_id(planned(scheme_input("naive_ddp")).back()),
            "data_parallel.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.per_parameter.b2.c512.fp32."
            "train_step.w5.n10");
  const CellSpec demo = planned(scheme_input("naive_ddp", Preset::kDemo)).back();
  EXPECT_EQ(demo.ranks, (Ranks{2, Collectives::kGloo}));
  EXPECT_EQ(demo.batch, 1);
}

TEST(DataParallelPlan, AddsAllReducesWithoutTrainingForBuckets) {
  EXPECT_TRUE(planned(scheme_input("naive_ddp"), CellKind::kAllReduce).empty());
  PlanInput input = scheme_input("ddp_bucketed");
  EXPECT_EQ(planned(input, CellKind::kAllReduce).size(), 1u);
  input.selection.only.emplace_back("distributed_communication_single_node");
  EXPECT_EQ(planned(input, CellKind::kAllReduce).size(), 6u) << "no cell is planned twice";
}

TEST(NaiveAnswer, HasNoTimesIfRanksDiverge) {
  const auto one_difference = [](const CellSpec&, Launch& launch) {
    launch.metrics.push_back(integer_metric(metric::kEquality, metric::kDivergedRanks, "1", 1));
  };
  const auto diverged =
      combined(without_metric(metric::kEquality, metric::kDivergedRanks), one_difference);
  const Part shown = part("a", in_scheme(Scheme::kPerParameter, diverged));
  EXPECT_EQ(shown.answer, "This run does not answer this question.");
  EXPECT_THAT(texts_in(table_of(shown, "schemes"), "Step").back(),
              HasSubstr("ranks hold different weights"));
}

TEST(NaiveAnswer, GivesNoShareThatStepsDoNotShow) {
  const auto share = HasSubstr("Communication adds");
  EXPECT_THAT(answer("a"), share);
  EXPECT_THAT(answer("a", in_scheme(Scheme::kNone, vary_steps(0.3))), Not(share));
  EXPECT_THAT(answer("a", in_scheme(Scheme::kFlat, scale_steps(0.5))), Not(share))
      << "the step without communication takes longer";
}

TEST(NaiveAnswer, CalculatesTheNumberOfUncountedAllReduces) {
  const auto uncounted = without_metric(metric::kAllReduceCalls, metric::kCalls);
  EXPECT_THAT(answer("a", in_scheme(Scheme::kPerParameter, uncounted)),
              HasSubstr("its 435 all-reduces"));
}

TEST(SchemesTable, HasAddedTimesOnlyIfStepsShowThem) {
  const auto no_value = HasSubstr("–");
  EXPECT_THAT(texts_in(table_of(part("a"), "schemes"), "Added"),
              ElementsAre(no_value, Not(no_value)));
  const Part faster_than_baseline = part("b", in_scheme(Scheme::kFlat, scale_steps(0.5)));
  EXPECT_THAT(texts_in(table_of(faster_than_baseline, "schemes"), "Added"),
              ElementsAre(no_value, Not(no_value), no_value));
  EXPECT_THAT(texts_in(table_of(part("c"), "schemes"), "Stretched by"),
              ElementsAre(no_value, no_value, no_value, "5.0"));
}

TEST(DataParallelCommands, NameTheirPart) {
  for (const std::string letter : {"a", "b", "c", "d"}) {
    EXPECT_THAT(texts_in(table_of(part(letter), "commands"), "Command").front(),
                HasSubstr("--only data_parallel." + letter + " "));
  }
}

/// Adds the flat scheme's copies of all gradients to its trace.
Change flat_copies(double ms) {
  return in_scheme(Scheme::kFlat, [=](const CellSpec&, Launch& launch) {
    for (Table& table : launch.tables) {
      if (table.name != metric::kLanes) continue;
      for (const auto phase : {metric::kExchange, metric::kOptimizer}) {
        table.rows.push_back({std::string(metric::kCompute), std::string(phase), std::int64_t{0},
                              static_cast<std::int64_t>(ms * 1e6)});
      }
    }
  });
}

TEST(FlatAnswer, SplitsOnlyADifferenceThatTheTraceExplains) {
  const auto split = HasSubstr("into its tensor");
  EXPECT_THAT(answer("b", flat_copies(0.868)), HasSubstr("into its tensor takes 0.868 ms back"));
  EXPECT_THAT(answer("b", flat_copies(7.8)), Not(split));
  const auto alike = combined(flat_copies(0.868), in_scheme(Scheme::kFlat, vary_steps(0.3)));
  EXPECT_THAT(answer("b", alike), AllOf(HasSubstr("less than steps vary"), Not(split)));
}

/// Returns the sentences of the summary.
std::string summary(const Change& change) {
  return part_of(fake_run(scheme_input(), change), "summary").answer;
}

TEST(OverlapSummary, CallsBackwardsGrowthContentionWithoutWhatIsExposed) {
  const auto contention = HasSubstr("are contention with backward.");
  EXPECT_THAT(summary(unchanged), contention);
  EXPECT_THAT(summary(in_scheme(Scheme::kOverlapped, scale_backward(1 / 1.05))),
              AllOf(HasSubstr("labreport's all-reduces beside backward"), Not(contention)))
      << "backward takes as long as without communication";
  const auto beside_computation = [](double share) {
    return in_scheme(Scheme::kOverlapped,
                     scale_rank_columns(std::string(column::kOverlapNs), share));
  };
  EXPECT_THAT(summary(beside_computation(0.1)), Not(contention)) << "all-reduces are exposed";
}

/// Adds the traced kernels of a module: alone in the step without communication, beside all-reduces
/// in the others, where they take `stretch` times as long.
Change traced_kernels(double stretch) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kDataParallel) return;
    const bool is_alone = spec.scheme == Scheme::kNone;
    const std::int64_t alone_ns = 80'000'000, none = 0, count = 32;
    const auto beside_ns = static_cast<std::int64_t>(stretch * static_cast<double>(alone_ns));
    Table table = empty_table(metric::kContention);
    table.rows.push_back({std::string(metric::kBackward), std::string("layers/ffn/w1"),
                          std::string("gemm"), none, is_alone ? none : count,
                          is_alone ? none : beside_ns, none, is_alone ? count : none,
                          is_alone ? alone_ns : none});
    launch.tables.push_back(table);
  };
}

TEST(OverlapSummary, TellsContentionByTheTracedKernelsIfTheRunHasThem) {
  EXPECT_THAT(summary(traced_kernels(1.1)),
              HasSubstr("8.00 ms are contention: kernels beside all-reduces take 10 % longer."));
  EXPECT_THAT(
      answer("c", traced_kernels(1.1)),
      HasSubstr("ms that it adds 8.00 ms are contention: kernels beside all-reduces take 10 %"));
  EXPECT_THAT(summary(traced_kernels(0.9)), HasSubstr("are contention with backward."))
      << "the phases tell it at least";
}

TEST(OverlapSummary, ClaimsNoSavingThatStepsDoNotShow) {
  const auto saving = HasSubstr("Overlap saves");
  EXPECT_THAT(summary(unchanged), saving);
  EXPECT_THAT(summary(in_scheme(Scheme::kOverlapped, scale_steps(1.5))), Not(saving));
  EXPECT_THAT(summary(in_scheme(Scheme::kOverlapped, vary_steps(0.3))), Not(saving));
  EXPECT_THAT(summary(in_scheme(Scheme::kNone, vary_steps(0.3))), Not(saving));
}

TEST(OverlapFigure, LeavesADisturbedTraceOut) {
  const auto slow_trace =
      each_row(metric::kRankSteps, [](const NamedRow& row) { row.scale(column::kTracedNs, 2); });
  const auto run = fake_run(scheme_input(), in_scheme(Scheme::kOverlapped, slow_trace));
  const Part summary = part_of(run, "summary");  // It has the figure instead of the part.
  ASSERT_FALSE(summary.figures.empty());
  EXPECT_THAT(texts_in(summary.figures.front().table, "Gradients"),
              AllOf(Contains("flat"), Not(Contains("overlapped"))));
}

TEST(OverlapTable, RestsOnTheRankThatWaitsLeastOnlyIfNothingRunsBesideAllReduces) {
  const auto wait_on_rank = [](std::size_t rank, Scheme scheme) {
    return in_scheme(scheme, [rank](const CellSpec&, Launch& launch) {
      Table& table = launch.tables.front();
      NamedRow(table, table.rows[rank]).scale(column::kCommunicationNs, 2);
    });
  };
  const auto traced = [&](const Change& change) {
    return texts_in(table_of(part("c", change), "schemes"), "Traced all-reduces");
  };
  EXPECT_EQ(traced(wait_on_rank(0, Scheme::kFlat)), traced(unchanged));
  EXPECT_EQ(traced(wait_on_rank(1, Scheme::kFlat)), traced(unchanged));
  EXPECT_NE(traced(wait_on_rank(0, Scheme::kOverlapped)), traced(unchanged));
  EXPECT_EQ(traced(wait_on_rank(1, Scheme::kOverlapped)), traced(unchanged));
}

TEST(OverlapTable, ComparesTheSlowestRankWithTheSlowest) {
  const auto slow_rank = [](std::size_t rank) {
    return in_scheme(Scheme::kNone, [rank](const CellSpec&, Launch& launch) {
      Table& table = launch.tables.front();
      NamedRow(table, table.rows[rank]).scale(phase_column(metric::kBackward), 1.01);
      scaled(metric::kStep, metric::kTotal, 1.01)({}, launch);
    });
  };
  for (const char* column : {"Added", "Stretched by"}) {
    const auto compared = [&](const Change& change) {
      return texts_in(table_of(part("c", change), "schemes"), column).back();
    };
    EXPECT_NE(compared(slow_rank(0)), compared(unchanged)) << column;
    EXPECT_EQ(compared(slow_rank(0)), compared(slow_rank(1))) << column;
  }
}

TEST(OverlapAnswer, NamesTheShareOfCommunicationBesideComputation) {
  const auto disturbed = in_scheme(
      Scheme::kOverlapped,
      each_row(metric::kRankSteps, [](const NamedRow& row) { row.scale(column::kTracedNs, 2); }));
  const auto overlap = HasSubstr("of its communication runs beside computation");
  EXPECT_THAT(answer("c"), overlap);
  EXPECT_THAT(answer("c", disturbed), Not(overlap)) << "the trace is not used";
}

TEST(BucketAnswer, SaysWhetherStepsFollowTheModel) {
  const auto follows = HasSubstr("Steps follow it");
  const auto left_out = HasSubstr("It leaves out that backward hides");
  EXPECT_THAT(answer("d"), AllOf(left_out, Not(follows)));
  EXPECT_THAT(answer("d", with_bucket_cap(100'000'000, scale_steps(0.9))),
              AllOf(follows, Not(left_out)));
  EXPECT_THAT(answer("d", with_bucket_cap(100'000'000, scale_backward(1 / 1.05))),
              Not(AnyOf(follows, left_out)))
      << "backward does not grow by as much as the step";
}

TEST(BucketFigure, SaysThatTheModelFailsIfItsBestCapMakesTheLongestSteps) {
  const auto finding = [](const Change& change) { return part("d", change).figures.front().title; };
  const auto fails = HasSubstr("steps with 100 MB are longest");
  EXPECT_THAT(finding(unchanged), Not(fails));
  EXPECT_THAT(finding(with_bucket_cap(100'000'000, scale_steps(1.01))), fails);
  EXPECT_THAT(finding(with_bucket_cap(1'000'000, scale_steps(1.01))), Not(fails));
}

TEST(BucketAnswer, NamesTheShortestCapsAndThoseThatMakeTheirBuckets) {
  const auto longer_steps = [](std::int64_t cap) {
    return with_bucket_cap(cap, scale_steps(1.01));
  };
  const auto all_but_1_mb = combined(
      longer_steps(10'000'000), combined(longer_steps(100'000'000), longer_steps(1'000'000'000)));
  EXPECT_THAT(answer("d", all_but_1_mb),
              HasSubstr("shortest with **1 and 10 MB** and longest with 1, 10, 100 and 1000 MB"));
  EXPECT_THAT(answer("d", combined(longer_steps(1'000'000), longer_steps(10'000'000))),
              HasSubstr("shortest with **100 and 1000 MB**"));
}

TEST(BucketFigure, ComparesWithTheModelOfTheAnswer) {
  const Part shown = part("d");
  EXPECT_THAT(texts_in(shown.figures.front().table, "S/(nβ) + nα"),
              ElementsAre("8.77", "8.77", "2.23", "3.14"));
}

TEST(BucketAnswer, FindsTheBestSizeFromAllReducesWithoutTraining) {
  // α = 20 µs and β = 300 GB/s are the fake worker's, so √(S β α) is 219 MB.
  EXPECT_THAT(answer("d"), HasSubstr("ideal: about **220 MB**"));
  const auto all_reduces_crash = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kAllReduce) end_with(launch, Crashed{11, ""});
  };
  EXPECT_THAT(answer("d", all_reduces_crash),
              AllOf(Not(HasSubstr("model")), HasSubstr("435, 435, 98 and 9")));
}

TEST(DataParallelAnswers, HaveNoStepsOnOneGpu) {
  const auto one_gpu = [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks) end_with(launch, Skipped{"this host has 1 GPU"});
  };
  for (const char* letter : {"a", "b", "c"}) {
    EXPECT_EQ(answer(letter, one_gpu), "This run does not answer this question.");
  }
  EXPECT_THAT(answer("d", one_gpu), HasSubstr("labreport makes **435, 435, 98 and 9** buckets of"))
      << "arithmetic needs no GPU";
}

TEST(DataParallelTables, TellSeveralNetworksApart) {
  PlanInput input = scheme_input();
  input.selection.sizes = {input.edition.sizes[0], input.edition.sizes[1]};
  const Part buckets = part("d", unchanged, input);
  ASSERT_EQ(buckets.figures.size(), 2u);
  EXPECT_NE(buckets.figures[0].slug, buckets.figures[1].slug);
  EXPECT_THAT(buckets.answer, AllOf(HasSubstr("buckets of medium at"), Not(HasSubstr("small"))));
}

}  // namespace
}  // namespace labreport::data_parallel_test
