// What the problems of data-parallel training plan, and what they say of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "experiments/data_parallel/schemes.h"
#include "experiments/sample_runs.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_samples::as_it_is;
using testing_samples::Change;
using testing_samples::end_with;
using testing_samples::measured;
using testing_samples::only;
using testing_samples::part_of;

PlanInput chosen(const std::string& name = "data_parallel", Preset preset = Preset::kFull,
                 const char* edition = "2025") {
  return only(own_selector(name), preset, edition);
}

/// "flat", "bucketed.k1000000", … in their order.
std::vector<std::string> schemes(const PlanInput& input) {
  std::vector<std::string> all;
  for (const CellSpec& spec : testing_samples::planned(input, CellKind::kDataParallel)) {
    std::string& words = all.emplace_back(name(*spec.scheme));
    if (spec.bucket) words += ".k" + std::to_string(*spec.bucket);
  }
  return all;
}

std::string answer(const std::string& letter, const Change& change = as_it_is,
                   const PlanInput& input = chosen()) {
  return part_of(measured(input, change), "data_parallel." + letter).answer;
}

Change of_scheme(Scheme scheme, const std::function<void(Launch&)>& change) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.scheme == scheme) change(launch);
  };
}

/// Each step of a metric so many times as long.
void lengthen(Launch& launch, std::string_view tag, std::string_view name, double factor) {
  for (Metric& metric : launch.metrics) {
    if (metric.tag != tag || metric.name != name) continue;
    for (std::int64_t& ns : std::get<std::vector<std::int64_t>>(std::get<Samples>(metric.data))) {
      ns = static_cast<std::int64_t>(static_cast<double>(ns) * factor);
    }
  }
}

Change steps_times(Scheme scheme, double factor) {
  return of_scheme(
      scheme, [=](Launch& launch) { lengthen(launch, metric::kStep, metric::kTotal, factor); });
}

/// Every other step longer by that factor, and every other one shorter: the mean stays.
Change steps_vary(Scheme scheme, double by) {
  return of_scheme(scheme, [=](Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != metric::kStep || metric.name != metric::kTotal) continue;
      double sign = 1;
      for (std::int64_t& ns : std::get<std::vector<std::int64_t>>(std::get<Samples>(metric.data))) {
        ns = static_cast<std::int64_t>(static_cast<double>(ns) * (1 + sign * by));
        sign = -sign;
      }
    }
  });
}

/// As of ranks whose communication is hidden, or exposed, altogether.
Change with_both(Scheme scheme, double share) {
  return of_scheme(scheme, [=](Launch& launch) {
    for (auto& row : launch.tables.front().rows) {
      row[15] =
          static_cast<std::int64_t>(share * static_cast<double>(std::get<std::int64_t>(row[14])));
    }
  });
}

TEST(DataParallelPlan, IsNoPartOfARunThatDoesNotAskForIt) {
  for (const PlannedCell& cell : plan_cells(testing_samples::plan_input(Preset::kFull), {})) {
    EXPECT_NE(cell.spec.kind, CellKind::kDataParallel);
  }
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
  const std::vector<CellSpec> cells = testing_samples::planned(chosen("naive_ddp"));
  EXPECT_EQ(cell_id(cells.back()),
            "data_parallel.cuda.d1600-f6400-l48-h25-v10000.nccl.r2.per_parameter.b2.c512.fp32."
            "train_step.w5.n10");
  const CellSpec demo = testing_samples::planned(chosen("naive_ddp", Preset::kDemo)).back();
  EXPECT_EQ(demo.ranks, (Ranks{2, Collectives::kGloo}));
  EXPECT_EQ(demo.batch, 1);
}

TEST(DataParallelPlan, TimesAllReducesByThemselvesWhereBucketsAreAskedFor) {
  EXPECT_EQ(testing_samples::planned(chosen("ddp_bucketed"), CellKind::kAllReduce).size(), 1u);
  EXPECT_TRUE(testing_samples::planned(chosen("naive_ddp"), CellKind::kAllReduce).empty());
  PlanInput both = chosen("ddp_bucketed");
  both.selection.only.emplace_back("distributed_communication_single_node");
  EXPECT_EQ(testing_samples::planned(both, CellKind::kAllReduce).size(), 6u) << "none twice";
}

TEST(DataParallelPlan, TrainsLabreportsNetworkAlone) {
  PlanInput input = chosen();
  input.selection.model = ModelSource{"Net-1", "net.py:Net", "", "", ""};
  EXPECT_TRUE(schemes(input).empty());
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
  const auto apart = of_scheme(Scheme::kPerParameter, [](Launch& launch) {
    std::erase_if(launch.metrics, [](const Metric& metric) {
      return metric.tag == metric::kEquality && metric.name == metric::kApart;
    });
    launch.metrics.push_back(integer_metric(metric::kEquality, metric::kApart, "1", 1));
  });
  EXPECT_THAT(answer("a", apart),
              AllOf(HasSubstr("1 of the ranks hold other weights"), Not(HasSubstr("to the bit"))));
}

TEST(NaiveAnswer, GivesNoReasonThatTheTraceDoesNotHave) {
  EXPECT_THAT(answer("a", with_both(Scheme::kPerParameter, 0.8)),
              AllOf(HasSubstr("communication adds"), Not(HasSubstr("because it does not"))));
  EXPECT_THAT(answer("a", steps_times(Scheme::kPerParameter, 3)),
              Not(HasSubstr("because it does not")))
      << "the step is longer by far more than what is exposed";
  EXPECT_THAT(answer("a", steps_times(Scheme::kPerParameter, 0.5)),
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
        answer("a", steps_vary(scheme, 0.3)),
        AllOf(HasSubstr("which their deviations do not tell apart"),
              Not(HasSubstr("communicating takes")), Not(HasSubstr("because it does not"))));
  }
}

TEST(NaiveAnswer, RestsNoShareOnAStepThatAnotherSchemeUndercuts) {
  EXPECT_THAT(answer("a", steps_times(Scheme::kFlat, 0.5)),
              AllOf(HasSubstr("No share of communication follows: the step without any takes"),
                    HasSubstr("with \"flat\", so something else disturbed it"),
                    Not(HasSubstr("communicating takes"))));
  EXPECT_THAT(answer("b", steps_times(Scheme::kFlat, 0.5)),
              HasSubstr("so what communication adds does not follow"));
}

TEST(SchemesTable, AddsNothingThatStepsDoNotShowAndStretchesWhatOverlaps) {
  const auto column = [](const Part& part, const std::string& slug, const std::string& title) {
    std::vector<std::string> texts;
    for (const auto* tables : {&part.tables, &part.details.tables}) {
      for (const TableView& table : *tables) {
        for (std::size_t i = 0; table.slug == slug && i < table.columns.size(); ++i) {
          if (table.columns[i].title != title) continue;
          for (const RowView& row : table.rows) texts.push_back(table.text(row, i) + row.note);
        }
      }
    }
    return texts;
  };
  const auto shown = [&](const Change& change, const char* letter) {
    return part_of(measured(chosen(), change), std::string("data_parallel.") + letter);
  };
  EXPECT_THAT(column(shown(as_it_is, "a"), "schemes", "Added"),
              ElementsAre(HasSubstr("–"), Not(HasSubstr("–"))));
  const Part noisy = shown(steps_times(Scheme::kFlat, 0.5), "b");
  EXPECT_THAT(column(noisy, "schemes", "Added"),
              ElementsAre(HasSubstr("–"), Not(HasSubstr("–")), HasSubstr("–")));
  EXPECT_TRUE(column(noisy, "phases", "Stretched by").empty());
  EXPECT_THAT(column(shown(as_it_is, "c"), "schemes", "Stretched by"),
              ElementsAre(HasSubstr("–"), HasSubstr("–"), HasSubstr("–"), "5.0"));
}

TEST(DataParallelCommands, RepeatTheirOwnPart) {
  for (const std::string letter : {"a", "b", "c", "d"}) {
    const Part part = part_of(measured(chosen()), "data_parallel." + letter);
    const auto commands =
        std::ranges::find(part.details.tables, "commands", [](const auto& it) { return it.slug; });
    ASSERT_NE(commands, part.details.tables.end());
    EXPECT_THAT(commands->text(commands->rows.front(), 1),
                HasSubstr("--only data_parallel." + letter + " "));
  }
}

TEST(FlatAnswer, IsExplainedByTracedCommunicationLessTheCopy) {
  EXPECT_THAT(answer("b"), AllOf(HasSubstr("ms less than the"),
                                 HasSubstr("because in the traced steps all-reduces take"),
                                 Not(HasSubstr("copying")), Not(HasSubstr("second time")),
                                 Not(HasSubstr("latencies"))));
  const auto copies = of_scheme(Scheme::kFlat, [](Launch& launch) {
    lengthen(launch, metric::kEvent, metric::kExchange, 1.1);
    lengthen(launch, metric::kStep, metric::kTotal, 1.005);
  });
  EXPECT_THAT(answer("b", copies), HasSubstr("though copying gradients into one tensor costs"));
}

/// Takes a metric from the launches of a scheme.
Change without(Scheme scheme, std::string_view tag, std::string_view name) {
  return of_scheme(scheme, [=](Launch& launch) {
    std::erase_if(launch.metrics,
                  [&](const Metric& metric) { return metric.tag == tag && metric.name == name; });
  });
}

TEST(FlatAnswer, IsNotExplainedByATraceWithoutTheCopy) {
  EXPECT_THAT(answer("b", without(Scheme::kFlat, metric::kEvent, metric::kExchange)),
              Not(HasSubstr("because in the traced steps")));
}

TEST(NaiveAnswer, CountsAllReducesByArithmeticWhereTheyWereNotCounted) {
  EXPECT_THAT(answer("a", without(Scheme::kPerParameter, metric::kAllReduces, metric::kCalls)),
              HasSubstr("with 435 all-reduces"));
}

TEST(NaiveAnswer, TellsNoDifferenceWithoutGradients) {
  EXPECT_THAT(answer("a", without(Scheme::kPerParameter, metric::kEquality, metric::kGradients)),
              Not(HasSubstr("It does: over three steps")));
}

TEST(FlatAnswer, LetsLatencyExplainWhatItDoes) {
  const auto untraced = of_scheme(Scheme::kFlat, [](Launch& launch) {
    for (auto& row : launch.tables.front().rows) row[14] = Scalar();
  });
  EXPECT_THAT(answer("b", untraced), HasSubstr("because 434 fewer calls save that many latencies"));
  EXPECT_THAT(answer("b", steps_times(Scheme::kFlat, 0.8)),
              AllOf(Not(HasSubstr("because")), HasSubstr("By arithmetic 434 fewer calls"),
                    HasSubstr("the run does not show why the rest is saved")));
  EXPECT_THAT(answer("b", steps_times(Scheme::kFlat, 2)),
              AllOf(HasSubstr("ms more than the"), Not(HasSubstr("why the rest"))));
}

TEST(FlatAnswer, SaysNothingOfLatencyWhereNoAllReduceWasTimed) {
  EXPECT_THAT(answer("b", as_it_is, chosen("minimal_ddp_flat")),
              AllOf(HasSubstr("in one all-reduce"), Not(HasSubstr("α"))));
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
  const auto disturbed = of_scheme(Scheme::kOverlapped, [](Launch& launch) {
    for (auto& row : launch.tables.front().rows) row[13] = 2 * std::get<std::int64_t>(row[13]);
  });
  EXPECT_THAT(answer("c", disturbed), Not(HasSubstr("run beside computation")));
  const Part part = part_of(measured(chosen(), disturbed), "data_parallel.c");
  EXPECT_TRUE(part.figures.empty());
}

TEST(OverlapAnswer, TellsWhatIsHiddenAndWhatThatCosts) {
  EXPECT_THAT(answer("c"), AllOf(HasSubstr("With \"per parameter\" it takes"),
                                 HasSubstr("overlap removes **69.5 %** of it"),
                                 HasSubstr("ms of all-reduces run beside computation"),
                                 HasSubstr("backward takes 5.0 % longer")));
  const auto unstretched = of_scheme(Scheme::kOverlapped, [](Launch& launch) {
    lengthen(launch, metric::kEvent, metric::kBackward, 1 / 1.05);
  });
  EXPECT_THAT(answer("c", unstretched), Not(HasSubstr("Hidden is not free")));
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
    return [factor](const CellSpec& spec, Launch& launch) {
      if (spec.scheme == Scheme::kOverlapped || (spec.bucket && *spec.bucket <= 10'000'000))
        lengthen(launch, metric::kStep, metric::kTotal, factor);
    };
  };
  // 337 calls more than with 100 MB, whose steps are shortest.
  EXPECT_THAT(answer("d", of_small_caps(1.024)),
              HasSubstr("because they pay the latency of 337 more all-reduces, 6.7 ms"));
  EXPECT_THAT(answer("d", of_small_caps(1.5)),
              AllOf(HasSubstr("do not explain"), Not(HasSubstr("because they pay"))));
  EXPECT_THAT(answer("d"), HasSubstr("no more than steps vary"));
  const auto of_100_mb = [](const CellSpec& spec, Launch& launch) {
    if (spec.bucket == 100'000'000) lengthen(launch, metric::kStep, metric::kTotal, 1.01);
  };
  EXPECT_THAT(answer("d", of_100_mb), Not(HasSubstr("because they pay")))
      << "1 MB makes more all-reduces and takes less";
}

TEST(BucketAnswer, NamesBackwardWhereItMakesTheDifference) {
  const auto stretched = [](const CellSpec& spec, Launch& launch) {
    if (spec.bucket != 100'000'000) return;
    lengthen(launch, metric::kEvent, metric::kBackward, 1.02);
    lengthen(launch, metric::kStep, metric::kTotal, 1.012);
  };
  EXPECT_THAT(answer("d", stretched), HasSubstr("because all-reduces stretch their backward by"));
}

TEST(BucketAnswer, CallsADifferenceOfOnePartitionWhatItIs) {
  const auto slower = [](const CellSpec& spec, Launch& launch) {
    if (spec.bucket == 1'000'000) lengthen(launch, metric::kStep, metric::kTotal, 1.1);
  };
  EXPECT_THAT(answer("d", slower), HasSubstr("no more than launches of the same buckets, 36.0 ms"));
}

TEST(BucketAnswer, SaysWhatTheModelExpectsOfTheCaps) {
  EXPECT_THAT(answer("d"),
              HasSubstr("For the measured caps this model expects 2.23 (buckets of 100 MB) "
                        "to 8.77 ms"));
}

TEST(BucketAnswer, NamesBackwardWhereItIsWhatTheCapsAdd) {
  EXPECT_THAT(answer("d"), HasSubstr("instead: backward itself takes 10.6 ms longer"));
  const auto unstretched = [](const CellSpec& spec, Launch& launch) {
    if (!spec.bucket) return;
    lengthen(launch, metric::kEvent, metric::kBackward, 1.001 / 1.05);
  };
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
  EXPECT_THAT(answer("d", steps_times(Scheme::kReducer, 2)),
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

TEST(DataParallelTables, DrawEachSchemesLanes) {
  const Part overlapped = part_of(measured(chosen()), "data_parallel.c");
  ASSERT_EQ(overlapped.figures.size(), 1u);
  const std::string drawn = overlapped.figures.front().spec.dump();
  EXPECT_THAT(drawn,
              AllOf(HasSubstr("all-reduce"), Not(HasSubstr("hidden")), Not(HasSubstr("exposed"))))
      << "gaps are closed in it: the trace alone tells what is exposed";
  EXPECT_EQ(part_of(measured(chosen()), "data_parallel.d").details.figures.size(), 5u)
      << "four caps and PyTorch's reducer";
}

TEST(DataParallelTables, TellSeveralNetworksApart) {
  PlanInput input = chosen();
  input.selection.sizes = {input.edition.sizes[0], input.edition.sizes[1]};
  const Part buckets = part_of(measured(input), "data_parallel.d");
  ASSERT_EQ(buckets.figures.size(), 2u);
  EXPECT_NE(buckets.figures[0].slug, buckets.figures[1].slug);
  EXPECT_THAT(buckets.answer, AllOf(HasSubstr("gradients of small at"), HasSubstr("of medium at")));
  EXPECT_EQ(part_of(measured(input), "data_parallel.a").figures.size(), 2u);
}

TEST(Schemes, TakeWhatTheRankWithTheMostExposedHas) {
  const labreport::Run run = measured(chosen(), of_scheme(Scheme::kOverlapped, [](Launch& launch) {
                                        launch.tables.front().rows[1][15] = std::int64_t{0};
                                      }));
  const RunView view(run, find_edition("2025"));
  const auto networks = data_parallel::networks_of(view);
  ASSERT_EQ(networks.size(), 1u);
  EXPECT_EQ(networks.front().ran(Scheme::kOverlapped)->both_ms, 0.0);
}

}  // namespace
}  // namespace labreport
