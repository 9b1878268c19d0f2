// Data-parallel training: its plan, and its sentences where they hold and where not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "experiments/sample_runs.h"

namespace labreport::data_parallel_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

PlanInput chosen(const std::string& name = "data_parallel", Preset preset = Preset::kFull) {
  return only(own_selector(name), preset);
}

/// "flat", "bucketed.k1000000", … in their order.
std::vector<std::string> schemes(const PlanInput& input) {
  std::vector<std::string> all;
  for (const CellSpec& spec : planned(input, CellKind::kDataParallel)) {
    std::string& words = all.emplace_back(name(*spec.scheme));
    if (spec.bucket) words += ".k" + std::to_string(*spec.bucket);
  }
  return all;
}

Part part(const std::string& letter, const Change& change = as_it_is,
          const PlanInput& input = chosen()) {
  return part_of(measured(input, change), "data_parallel." + letter);
}

std::string answer(const std::string& letter, const Change& change = as_it_is,
                   const PlanInput& input = chosen()) {
  return part(letter, change, input).answer;
}

Change of_scheme(Scheme scheme, Change change) {
  return where([=](const CellSpec& spec) { return spec.scheme == scheme; }, std::move(change));
}

Change of_cap(std::int64_t cap, Change change) {
  return where([=](const CellSpec& spec) { return spec.bucket == cap; }, std::move(change));
}

Change steps(double factor) { return scaled(metric::kStep, metric::kTotal, factor); }

Change backward(double factor) { return scaled(metric::kEvent, metric::kBackward, factor); }

/// Every other step longer by that factor, and every other one shorter: the mean stays.
Change steps_vary(double by) {
  return each_sample(metric::kStep, metric::kTotal, [=](double ns, std::size_t step) {
    return ns * (step % 2 == 0 ? 1 + by : 1 - by);
  });
}

TEST(DataParallelPlan, MeasuresEachSchemeBesideThoseBeforeIt) {
  EXPECT_THAT(schemes(chosen("naive_ddp")), ElementsAre("none", "per_parameter"));
  EXPECT_THAT(schemes(chosen("minimal_ddp_flat")), ElementsAre("none", "per_parameter", "flat"));
  EXPECT_THAT(schemes(chosen("ddp_overlap_individual_parameters_benchmarking")),
              ElementsAre("none", "per_parameter", "flat", "overlapped"));
  EXPECT_THAT(schemes(chosen("ddp_bucketed")),
              ElementsAre("none", "per_parameter", "flat", "overlapped", "bucketed.k1000000",
                          "bucketed.k10000000", "bucketed.k100000000", "bucketed.k1000000000",
                          "reducer.k26214400"));
  EXPECT_EQ(schemes(chosen()), schemes(chosen("ddp_bucketed")));
  EXPECT_THROW(own_selector("naive_ddq"), InputError);
}

TEST(DataParallelPlan, SharesTheHandoutsBatchOutAmongTwoGpus) {
  EXPECT_EQ(cell_id(planned(chosen("naive_ddp")).back()),
            "data_parallel.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.per_parameter.b2.c512.fp32."
            "train_step.w5.n10");
  const CellSpec demo = planned(chosen("naive_ddp", Preset::kDemo)).back();
  EXPECT_EQ(demo.ranks, (Ranks{2, Collectives::kGloo}));
  EXPECT_EQ(demo.batch, 1);
}

TEST(DataParallelPlan, TimesAllReducesByThemselvesWhereBucketsAreAskedFor) {
  EXPECT_TRUE(planned(chosen("naive_ddp"), CellKind::kAllReduce).empty());
  PlanInput input = chosen("ddp_bucketed");
  EXPECT_EQ(planned(input, CellKind::kAllReduce).size(), 1u);
  input.selection.only.emplace_back("distributed_communication_single_node");
  EXPECT_EQ(planned(input, CellKind::kAllReduce).size(), 6u) << "none twice";
}

TEST(NaiveAnswer, BeginsWithEqualityAndTellsTheShareOfCommunication) {
  EXPECT_THAT(answer("a"),
              AllOf(HasSubstr("differ from those of a single process on the whole batch by 6.3 × "
                              "10⁻⁷ of the largest at most, which is FP32's rounding"),
                    HasSubstr("all ranks hold the same weights to the bit"),
                    HasSubstr("with 435 all-reduces, 7.99 GB in all"),
                    HasSubstr("because it does not overlap with computation"),
                    Not(HasSubstr("latencies of")), Not(HasSubstr("{{"))));
}

TEST(NaiveAnswer, SaysSoWhereRanksDriftApart) {
  const auto one_apart = [](const CellSpec&, Launch& launch) {
    launch.metrics.push_back(integer_metric(metric::kEquality, metric::kApart, "1", 1));
  };
  const auto drifted = both(without(metric::kEquality, metric::kApart), one_apart);
  EXPECT_THAT(answer("a", of_scheme(Scheme::kPerParameter, drifted)),
              AllOf(HasSubstr("1 of the ranks hold other weights"), Not(HasSubstr("to the bit"))));
  const auto unknown = without(metric::kEquality, metric::kGradients);
  EXPECT_THAT(answer("a", of_scheme(Scheme::kPerParameter, unknown)),
              Not(HasSubstr("It does: over three steps")));
}

TEST(NaiveAnswer, GivesNoReasonThatTheTraceDoesNotHave) {
  const auto hidden = each_row(metric::kRankSteps, [](const NamedRow& row) {
    row[column::kBothNs] = row[column::kCommunicationNs];
    row.scale(column::kBothNs, 0.8);
  });
  EXPECT_THAT(answer("a", of_scheme(Scheme::kPerParameter, hidden)),
              AllOf(HasSubstr("communication adds"), Not(HasSubstr("because it does not"))));
  EXPECT_THAT(answer("a", of_scheme(Scheme::kPerParameter, steps(3))),
              Not(HasSubstr("because it does not")))
      << "the step is longer by far more than what is exposed";
  EXPECT_THAT(answer("a", of_scheme(Scheme::kPerParameter, steps(0.5))),
              HasSubstr("so something else disturbed it"));
}

TEST(NaiveAnswer, GivesDeviationsAndNoShareThatTheyDoNotBearOut) {
  EXPECT_THAT(answer("a"),
              AllOf(testing::ContainsRegex("takes \\*\\*[0-9.]+ ± [0-9.]+ ms\\*\\*"),
                    testing::ContainsRegex("adds \\*\\*[0-9.]+ ± [0-9.]+ ms, [0-9.]+ % of "
                                           "the step"),
                    HasSubstr("in the traced step all-reduces take")));
  for (const Scheme scheme : {Scheme::kNone, Scheme::kPerParameter}) {
    EXPECT_THAT(
        answer("a", of_scheme(scheme, steps_vary(0.3))),
        AllOf(HasSubstr("which their deviations do not tell apart"),
              Not(HasSubstr("communicating takes")), Not(HasSubstr("because it does not"))));
  }
}

TEST(NaiveAnswer, RestsNoShareOnAStepThatAnotherSchemeUndercuts) {
  const auto undercut = of_scheme(Scheme::kFlat, steps(0.5));
  EXPECT_THAT(answer("a", undercut),
              AllOf(HasSubstr("No share of communication follows: the step without any takes"),
                    HasSubstr("with \"flat\", so something else disturbed it"),
                    Not(HasSubstr("communicating takes"))));
  EXPECT_THAT(answer("b", undercut), HasSubstr("so what communication adds does not follow"));
}

TEST(NaiveAnswer, CountsAllReducesByArithmeticWhereTheyWereNotCounted) {
  const auto uncounted = without(metric::kAllReduces, metric::kCalls);
  EXPECT_THAT(answer("a", of_scheme(Scheme::kPerParameter, uncounted)),
              HasSubstr("with 435 all-reduces"));
}

TEST(SchemesTable, AddsNothingThatStepsDoNotShowAndStretchesWhatOverlaps) {
  const auto none = HasSubstr("–");
  EXPECT_THAT(texts_in(table_of(part("a"), "schemes"), "Added"), ElementsAre(none, Not(none)));
  const Part noisy = part("b", of_scheme(Scheme::kFlat, steps(0.5)));
  EXPECT_THAT(texts_in(table_of(noisy, "schemes"), "Added"), ElementsAre(none, Not(none), none));
  EXPECT_TRUE(texts_in(table_of(noisy, "phases"), "Stretched by").empty());
  EXPECT_THAT(texts_in(table_of(part("c"), "schemes"), "Stretched by"),
              ElementsAre(none, none, none, "5.0"));
}

TEST(DataParallelCommands, RepeatTheirOwnPart) {
  for (const std::string letter : {"a", "b", "c", "d"}) {
    EXPECT_THAT(texts_in(table_of(part(letter), "commands"), "Command").front(),
                HasSubstr("--only data_parallel." + letter + " "));
  }
}

TEST(FlatAnswer, IsExplainedByTracedCommunicationLessTheCopy) {
  EXPECT_THAT(answer("b"), AllOf(HasSubstr("ms less than the"),
                                 HasSubstr("because in the traced steps all-reduces take"),
                                 Not(HasSubstr("copying")), Not(HasSubstr("second time")),
                                 Not(HasSubstr("latencies"))));
  const auto copies = both(scaled(metric::kEvent, metric::kExchange, 1.1), steps(1.005));
  EXPECT_THAT(answer("b", of_scheme(Scheme::kFlat, copies)),
              HasSubstr("though copying gradients into one tensor costs"));
  const auto uncopied = without(metric::kEvent, metric::kExchange);
  EXPECT_THAT(answer("b", of_scheme(Scheme::kFlat, uncopied)),
              Not(HasSubstr("because in the traced steps")));
}

TEST(FlatAnswer, LetsLatencyExplainWhatItDoes) {
  const auto untraced = each_row(
      metric::kRankSteps, [](const NamedRow& row) { row[column::kCommunicationNs] = Scalar(); });
  EXPECT_THAT(answer("b", of_scheme(Scheme::kFlat, untraced)),
              HasSubstr("because 434 fewer calls save that many latencies"));
  EXPECT_THAT(answer("b", of_scheme(Scheme::kFlat, steps(0.8))),
              AllOf(Not(HasSubstr("because")), HasSubstr("By arithmetic 434 fewer calls"),
                    HasSubstr("the run does not show why the rest is saved")));
  EXPECT_THAT(answer("b", of_scheme(Scheme::kFlat, steps(2))),
              AllOf(HasSubstr("ms more than the"), Not(HasSubstr("why the rest"))));
  EXPECT_THAT(answer("b", as_it_is, chosen("minimal_ddp_flat")),
              AllOf(HasSubstr("in one all-reduce"), Not(HasSubstr("α"))))
      << "no all-reduce was timed";
}

TEST(FlatAnswer, TellsWhatASecondCopyOfGradientsTakes) {
  const auto peaks = [](const CellSpec& spec, Launch& launch) {
    if (!spec.scheme) return;
    const std::int64_t bytes = spec.scheme == Scheme::kFlat ? 40'000'000'000 : 32'000'000'000;
    launch.metrics.push_back(integer_metric(metric::kMemory, metric::kPeakAllocated, "B", bytes));
  };
  EXPECT_THAT(answer("b", peaks), HasSubstr("Memory peaks at 37.25 GiB instead of 29.80 GiB, "
                                            "because that tensor holds all gradients a second"));
}

TEST(OverlapAnswer, LeavesADisturbedTraceOut) {
  const auto disturbed =
      each_row(metric::kRankSteps, [](const NamedRow& row) { row.scale(column::kTracedNs, 2); });
  const Part shown = part("c", of_scheme(Scheme::kOverlapped, disturbed));
  EXPECT_THAT(shown.answer, Not(HasSubstr("run beside computation")));
  EXPECT_TRUE(shown.figures.empty());
}

TEST(OverlapAnswer, TellsWhatIsHiddenAndWhatThatCosts) {
  EXPECT_THAT(answer("c"), AllOf(HasSubstr("With \"per parameter\" it takes"),
                                 HasSubstr("overlap removes **69.5 %** of it"),
                                 HasSubstr("ms of all-reduces run beside computation"),
                                 HasSubstr("backward takes 5.0 % longer")));
  EXPECT_THAT(answer("c", of_scheme(Scheme::kOverlapped, backward(1 / 1.05))),
              Not(HasSubstr("Hidden is not free")));
}

TEST(OverlapAnswer, RestsOnTheRankWithTheMostExposedCommunication) {
  const auto one_exposed = [](const CellSpec&, Launch& launch) {
    Table& table = launch.tables.front();
    NamedRow(table, table.rows[1])[column::kBothNs] = std::int64_t{0};
  };
  const Part shown = part("c", of_scheme(Scheme::kOverlapped, one_exposed));
  EXPECT_EQ(texts_in(table_of(shown, "schemes"), "Hidden").back(), "0.0");
}

TEST(BucketAnswer, CountsBucketsAndNamesCapsThatMakeOnePartition) {
  EXPECT_THAT(answer("d"),
              AllOf(HasSubstr("the 435 gradients of xl at context 512 in FP32 go into **435, 435, "
                              "98, 9** buckets: 1 and 10 MB are one partition"),
                    HasSubstr("each matrix, 10.2 MB at least"),
                    HasSubstr("PyTorch's own reducer, with its default cap of 25 MiB")));
}

TEST(BucketAnswer, LetsLatenciesExplainOnlyWhatTheyDo) {
  const auto of_small_caps = [](double factor) {
    return where(
        [](const CellSpec& spec) {
          return spec.scheme == Scheme::kOverlapped || (spec.bucket && *spec.bucket <= 10'000'000);
        },
        steps(factor));
  };
  // 337 calls more than with 100 MB, whose steps are shortest.
  EXPECT_THAT(answer("d", of_small_caps(1.024)),
              HasSubstr("because they pay the latency of 337 more all-reduces, 6.7 ms"));
  EXPECT_THAT(answer("d", of_small_caps(1.5)),
              AllOf(HasSubstr("do not explain"), Not(HasSubstr("because they pay"))));
  EXPECT_THAT(answer("d"), HasSubstr("no more than steps vary"));
  EXPECT_THAT(answer("d", of_cap(100'000'000, steps(1.01))), Not(HasSubstr("because they pay")))
      << "1 MB makes more all-reduces and takes less";
  EXPECT_THAT(answer("d", of_cap(1'000'000, steps(1.1))),
              HasSubstr("no more than launches of the same buckets, 36.0 ms"));
}

TEST(BucketAnswer, NamesBackwardWhereItMakesTheDifference) {
  EXPECT_THAT(answer("d", of_cap(100'000'000, both(backward(1.02), steps(1.012)))),
              HasSubstr("because all-reduces stretch their backward by"));
}

TEST(BucketAnswer, SaysWhatTheModelExpectsOfTheCapsAndWhatBackwardAdds) {
  EXPECT_THAT(answer("d"),
              AllOf(HasSubstr("For the measured caps this model expects 2.23 (buckets of 100 MB) "
                              "to 8.77 ms"),
                    HasSubstr("instead: backward itself takes 10.6 ms longer")));
  const auto unstretched =
      where([](const CellSpec& spec) { return spec.bucket.has_value(); }, backward(1.001 / 1.05));
  EXPECT_THAT(answer("d", unstretched),
              AllOf(HasSubstr("Measured steps add"), Not(HasSubstr("backward itself"))));
}

TEST(BucketAnswer, FindsTheBestSizeFromAllReducesByThemselves) {
  // α = 20 µs and β = 300 GB/s are the fake worker's, so √(S β α) is 219 MB.
  EXPECT_THAT(answer("d"),
              AllOf(HasSubstr("(α = 20.0 µs, β = 300 GB/s)"), HasSubstr("**219 MB**")));
  const auto unknown = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kAllReduce) end_with(launch, Crashed{11, ""});
  };
  EXPECT_THAT(answer("d", unknown), AllOf(Not(HasSubstr("β =")), HasSubstr("435, 435, 98, 9")));
}

TEST(BucketAnswer, PredictsMoreGpusOnlyWhereItPredictsTheMeasured) {
  EXPECT_THAT(answer("d"), HasSubstr("*predicted and not measured*"));
  EXPECT_THAT(answer("d", of_scheme(Scheme::kReducer, steps(2))),
              AllOf(Not(HasSubstr("*predicted and not measured*")),
                    HasSubstr("do not predict these steps: PyTorch's Reducer is")));
}

TEST(DataParallelAnswers, OfOneGpuSayWhatTheHostLacks) {
  const auto one_gpu = [](const CellSpec& spec, Launch& launch) {
    if (spec.ranks) end_with(launch, Skipped{"this host has 1 GPU"});
  };
  for (const char* letter : {"a", "b", "c", "d"}) {
    EXPECT_THAT(answer(letter, one_gpu), HasSubstr("skipped: this host has 1 GPU")) << letter;
  }
  EXPECT_THAT(answer("d", one_gpu), HasSubstr("**435, 435, 98, 9** buckets"))
      << "arithmetic needs no GPU";
}

TEST(DataParallelTables, TellSeveralNetworksApart) {
  PlanInput input = chosen();
  input.selection.sizes = {input.edition.sizes[0], input.edition.sizes[1]};
  const Part buckets = part("d", as_it_is, input);
  ASSERT_EQ(buckets.figures.size(), 2u);
  EXPECT_NE(buckets.figures[0].slug, buckets.figures[1].slug);
  EXPECT_THAT(buckets.answer, AllOf(HasSubstr("gradients of small at"), HasSubstr("of medium at")));
}

}  // namespace
}  // namespace labreport::data_parallel_test
