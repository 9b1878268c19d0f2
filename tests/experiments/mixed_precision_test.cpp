// The problems of mixed precision: their sentences where they hold and where not.
#include <gmock/gmock.h>

#include "experiments/problems.h"
#include "experiments/sample_runs.h"

namespace labreport::mixed_precision_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;
using MeasuredRun = labreport::Run;  // a test has a Run of its own

constexpr const char* kMixed = "benchmarking_mixed_precision";

Part mixed_part(const char* letter, const Change& change = as_it_is) {
  const std::string name = kMixed + (std::string(".") + letter);
  return part_of(measured(only(name), change), name);
}

/// The part of layer normalization after a change of each row.
Part layer_norm(std::function<void(const NamedRow&)> change) {
  return mixed_part("b", each_row(metric::kLayerNorm, std::move(change)));
}

std::string layer_norm_answer(std::function<void(const NamedRow&)> change) {
  return layer_norm(std::move(change)).answer;
}

bool in_format(const NamedRow& row, const char* format) { return row.has("format", format); }

TEST(LayerNormAnswer, WithoutCurvesToDrawThereIsStillAnAnswer) {
  const auto reductions_alone = [](const NamedRow& row) {
    row["method"] = std::string(metric::kReductions);
  };
  EXPECT_THAT(layer_norm_answer(reductions_alone), HasSubstr("FP32 statistics"));
}

TEST(LayerNormAnswer, Bf16StaysSensitiveForPrecisionNotForRange) {
  EXPECT_THAT(
      mixed_part("b").answer,
      AllOf(HasSubstr(
                "**BF16 still needs FP32 statistics, for precision but not for range**, because"),
            HasSubstr("The sensitive parts are the reductions, the sum of squares above all"),
            HasSubstr("the mean is off by"),
            HasSubstr("the sum of 2,560 squares exceeds 65,504 from input scale 2³, a single "
                      "square from 2⁶."),
            Not(HasSubstr("eps"))));
}

TEST(LayerNormAnswer, SaysThatTheRootHalvesAnErrorOnlyWhereItDoes) {
  const auto root = [](double of_variance) {
    return layer_norm_answer([=](const NamedRow& row) {
      const auto* variance = std::get_if<double>(&row["variance_error"]);
      if (in_format(row, "fp16") && variance != nullptr)
        row["rstd_error"] = of_variance * *variance;
    });
  };
  EXPECT_THAT(root(0.5), HasSubstr("halves the error that it inherits"));
  EXPECT_THAT(root(0.9), Not(HasSubstr("reciprocal root")));
}

TEST(LayerNormAnswer, SaysThatRangeEndsWhereItDoes) {
  const std::string answer = layer_norm_answer([](const NamedRow& row) {
    if (in_format(row, "bf16") && row.number("scale_log2") == 14) {
      row["sum_overflow"] = std::int64_t{16};
    }
  });
  EXPECT_THAT(
      answer,
      HasSubstr("**BF16 still needs FP32 statistics, for precision and for range**: the output"));
}

TEST(LayerNormAnswer, NeedsNoFp32WhereRoundedSumsErrAsLittle) {
  const std::string answer = layer_norm_answer([](const NamedRow& row) {
    if (in_format(row, "bf16")) row["output_error"] = 0.002;
  });
  EXPECT_THAT(answer, HasSubstr("**BF16 does not need FP32 statistics in this run**: the output at "
                                "width 2,560 is off by **0.20 %**"));
}

TEST(LayerNormAnswer, BlamesTheSumOfSquaresOnlyWhereItLosesMoreThanTheSquares) {
  EXPECT_THAT(
      layer_norm_answer([](const NamedRow& row) { row["variance_error"] = row["square_error"]; }),
      Not(HasSubstr("The sensitive parts")));
}

TEST(LayerNormAnswer, SaysWhatEpsHidesOnlyWhereTheMethodsAgree) {
  const std::string answer = layer_norm_answer([](const NamedRow& row) {
    if (row.number("scale_log2") == -24) row["output_error"] = 0.0017;
  });
  EXPECT_THAT(answer, HasSubstr("at tiny scales eps masks it (0.17 % at 2⁻²⁴)"));
}

TEST(LayerNorm, LeavesOutRowsThatDoNotSayWhetherTheyOverflow) {
  const auto rows = [](const Part& part) { return part.details.tables.back().rows.size(); };
  EXPECT_EQ(rows(mixed_part("b")), 6u) << "two formats, three methods, the widest vectors";
  EXPECT_EQ(rows(layer_norm([](const NamedRow& row) {
              if (in_format(row, "bf16")) row["sum_overflow"] = Scalar();
            })),
            3u);
}

TEST(Dtypes, OfAModelOfOnesOwnStandBesideTheToyModels) {
  PlanInput input = only("benchmarking_mixed_precision.a");
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const Part part = part_of(measured(input), kMixed);
  EXPECT_THAT(part.answer, HasSubstr("- loss, cross-entropy: **FP32**")) << "the toy model's";
  ASSERT_EQ(part.tables.size(), 1u);
  EXPECT_EQ(part.tables.front().title, "Dtypes of Net-0a1b2c3d, size small");
  EXPECT_THAT(rows_of(part.tables.front()).front(), testing::StartsWith("parameters | "));
  const auto fails = [](const CellSpec& spec, Launch& launch) {
    if (!spec.implementation.empty()) end_with(launch, Failed{"Net.forward failed"});
  };
  const Part failed = part_of(measured(input, fails), kMixed);
  EXPECT_TRUE(failed.tables.empty());
  EXPECT_THAT(failed.answer, HasSubstr("The dtypes of Net-0a1b2c3d were not traced: "));
}

/// The kernels of each pass take these times, in ms.
struct Mix {
  double gemms, copies, others;
  std::int64_t launches = 100;
};

void write_profile(Launch& launch, const Mix& mix) {
  for (Table& table : launch.tables) {
    if (table.name != metric::kKernels) continue;
    table.rows.clear();
    for (const auto phase : {metric::kForward, metric::kBackward}) {
      for (const auto& [kind, ms] : {std::pair("gemm", mix.gemms), std::pair("copy", mix.copies),
                                     std::pair("elementwise", mix.others)}) {
        table.rows.push_back(kernel_row(table, phase, kind, ms, mix.launches));
      }
    }
  }
}

/// Kernels of each profiled phase run for `ns` in all.
Change with_busy_phases(std::int64_t ns) {
  return [=](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kBusy) metric = integer_metric(metric.tag, metric.name, "ns", ns);
    }
  };
}

/// Steps in both precisions, timed and profiled.
PlanInput profiled() {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"nsys_profile.d", "benchmarking_mixed_precision.c"};
  return input;
}

Part speedups(const MeasuredRun& run) { return part_of(run, "benchmarking_mixed_precision.c"); }

/// The answer where every step was profiled in both precisions; `fp32` and `bf16` give a network's
/// mix.
template <typename MixOf>
std::string speedup_answer(MixOf mix_of) {
  const MeasuredRun run = measured(profiled(), [&](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kKernels || spec.steps == 0) return;
    const double share =
        0.6 + 0.3 * std::min(1.0, static_cast<double>(parameter_count(*spec.model)) / 3.4e9);
    write_profile(launch, mix_of(share, spec.precision != Precision::kFp32));
    with_busy_phases(1)(spec, launch);  // Else kernels would fill what is launch-bound.
  });
  return speedups(run).answer;
}

Mix gemms_gain(double share, bool bf16) {
  if (!bf16) return {100 * share, 5, 95 - 100 * share, 644};
  return {10 * share, 20, 95 - 100 * share, 839};
}

TEST(SpeedupAnswer, GivesTheGrowingShareOfGemmsAsReasonWhereItExplainsTheGrowth) {
  const std::string answer = speedup_answer(gemms_gain);
  EXPECT_THAT(answer, AllOf(HasSubstr("Both speedups grow with model size, because GEMMs, which "
                                      "gain most, take a growing share"),
                            HasSubstr("61.1 % of small's FP32 forward pass, 90.0 % of 2.7B's")));
}

TEST(SpeedupAnswer, GivesNoReasonWhereTheMixOfKernelsIsTheSameAtEverySize) {
  const std::string answer = speedup_answer(
      [](double share, bool bf16) { return bf16 ? Mix{70 - 60 * share, 5, 25} : Mix{70, 5, 25}; });
  EXPECT_THAT(answer, AllOf(HasSubstr("Both speedups grow"), Not(HasSubstr("share of GEMMs"))));
}

TEST(SpeedupAnswer, NamesCastsWhereCopiesAreWhatGrew) {
  EXPECT_THAT(
      speedup_answer(gemms_gain),
      AllOf(HasSubstr("In 2.7B's forward pass with grad GEMMs fall from 90.00 to 9.000 ms, but"),
            HasSubstr("everything else rises from 10.00 to 25.00 ms because autocast adds casts")));
}

TEST(SpeedupAnswer, NamesNoCastsWhereOtherKernelsGrew) {
  const std::string answer = speedup_answer([](double share, bool bf16) {
    return bf16 ? Mix{10 * share, 5, 60} : Mix{100 * share, 5, 40};
  });
  EXPECT_THAT(answer, AllOf(HasSubstr("everything else goes from 45.00 to 65.00 ms."),
                            Not(HasSubstr("adds casts"))));
}

TEST(SpeedupAnswer, SaysWhereGemmsGainNothing) {
  const std::string answer = speedup_answer([](double, bool) { return Mix{50, 5, 45}; });
  EXPECT_THAT(answer, HasSubstr("In 2.7B's forward pass GEMMs gain nothing: 50.00 ms in FP32"));
}

TEST(SpeedupAnswer, WithoutAProfileOfBf16SaysThatTheRunDoesNotShowWhichKernelsGain) {
  EXPECT_THAT(mixed_part("c").answer,
              AllOf(HasSubstr("No BF16 step was profiled"), Not(HasSubstr("GEMMs fall"))));
}

TEST(SpeedupAnswer, AddsUpNoKernelsWhereOneHasNoTime) {
  const MeasuredRun run = measured(profiled(), without_a_time);
  EXPECT_THAT(speedups(run).answer, Not(HasSubstr("forward pass GEMMs")));
}

TEST(SpeedupAnswer, NamesLaunchesAndSharesWhereBothAreWhySpeedupsGrow) {
  const std::string alike = speedup_answer([](double share, bool bf16) {
    const double gain = bf16 ? 2 : 1;  // of every kernel
    return Mix{100 * share / gain, 5 / gain, 95 * (1 - share) / gain};
  });
  EXPECT_THAT(alike, AllOf(HasSubstr("because GEMMs, which gain most, take a growing share ("),
                           HasSubstr("and launch overhead caps both passes of small.")));
  const std::string flat =
      speedup_answer([](double, bool bf16) { return bf16 ? Mix{25, 3, 22} : Mix{50, 6, 44}; });
  EXPECT_THAT(flat, AllOf(HasSubstr("because launch overhead caps both passes of small."),
                          Not(HasSubstr("growing share"))));
}

TEST(SpeedupAnswer, CountsMoreLaunchesWhereALaunchBoundPassLost) {
  EXPECT_THAT(speedup_answer(gemms_gain),
              AllOf(HasSubstr("BF16 is slower than FP32 only where a pass is launch-bound: both "
                              "passes of small"),
                    HasSubstr("2,517 kernels instead of 1,932 in small's forward pass")));
}

TEST(SpeedupAnswer, CallsNoPassLaunchBoundThatKernelsFill) {
  const auto part = [&](std::int64_t ns) {
    return speedups(measured(profiled(), with_busy_phases(ns)));
  };
  const auto words = [](const Part& of) { return of.answer + of.figures.at(0).caption; };
  EXPECT_THAT(words(part(1)), AllOf(HasSubstr("both passes of small"), HasSubstr("Shaded sizes")));
  const auto filled = std::int64_t{1} << 50;
  EXPECT_THAT(words(part(filled)), AllOf(Not(HasSubstr("launch")), Not(HasSubstr("Shaded sizes"))));
}

/// Phases by events that take longer than the CPU needs to enqueue them.
void make_gpu_bound(const CellSpec& spec, Launch& launch) {
  if (spec.kind != CellKind::kTiming) return;
  for (Metric& metric : launch.metrics) {
    if (metric.tag != metric::kEnqueue) continue;
    std::vector<std::int64_t> early;
    for (const double sample : metric.numbers()) {
      early.push_back(static_cast<std::int64_t>(sample / 10));
    }
    metric.data = Samples(early);
  }
}

/// Steps and phases of BF16 that take so many ms, by size; kernels of xl and of the others.
struct Tied {
  Mix xl, others;
  double largest_ms = 62;
};

std::string tied_answer(const Tied& tied) {
  const std::map<std::string, double> ms{
      {"small", 10}, {"medium", 20}, {"large", 40}, {"xl", 60}, {"2.7B", tied.largest_ms}};
  const MeasuredRun run = measured(profiled(), [&](const CellSpec& spec, Launch& launch) {
    make_gpu_bound(spec, launch);
    if (spec.precision == Precision::kFp32) return;
    if (spec.kind == CellKind::kKernels && spec.steps != 0)
      write_profile(launch, spec.size == "xl" ? tied.xl : tied.others);
    for (Metric& metric : launch.metrics) {
      if (spec.kind != CellKind::kTiming || metric.tag != metric::kSynced) continue;
      const auto ns = static_cast<std::int64_t>(1e6 * ms.at(spec.size));
      metric.data = Samples(std::vector<std::int64_t>(metric.numbers().size(), ns));
    }
  });
  return speedups(run).answer;
}

TEST(SpeedupAnswer, SaysWhyPassesOfUnequalWorkTakeAboutAsLong) {
  const Mix others{19, 4, 38};
  EXPECT_THAT(
      tied_answer({{14, 4, 40}, others}),
      HasSubstr(
          "2.7B's forward pass takes about as long as xl's (62.00 vs. 60.00 ms) despite "
          "1.7× the FLOPs, because non-GEMM kernels dominate both and take about the same time "
          "(42.00 vs. 44.00 ms)."));
  const auto unexplained = HasSubstr("despite 1.7× the FLOPs; this run does not show why.");
  EXPECT_THAT(tied_answer({{14, 4, 30}, others}), unexplained) << "less of other kernels";
  EXPECT_THAT(tied_answer({{1, 4, 40}, {1, 4, 40}}), unexplained) << "kernels do not fill the pass";
  EXPECT_THAT(tied_answer({{14, 4, 40}, others, 90}), Not(HasSubstr("about as long as")));
}

TEST(SpeedupAnswer, GivesNoReasonForALossThatLaunchesDoNotExplain) {
  EXPECT_THAT(mixed_part("c", make_gpu_bound).answer,
              AllOf(Not(HasSubstr("launch-bound")),
                    HasSubstr("BF16 is slower than FP32 in both passes of small;"),
                    HasSubstr("this run does not show why")));
}

/// One forward pass twice as long as the others in that precision, of one size or of all.
Change with_a_long_step(Precision precision, const std::string& size = "") {
  return where(
      [=](const CellSpec& spec) {
        return spec.size.starts_with(size) && spec.precision == precision;
      },
      each_sample(metric::kSynced, metric::kForward,
                  [](double ns, std::size_t step) { return step == 9 ? 2 * ns : ns; }));
}

TEST(SpeedupAnswer, SaysWhichTimesVaryTooMuchForAnExactSpeedup) {
  EXPECT_THAT(mixed_part("c", with_a_long_step(Precision::kBf16, "small")).answer,
              HasSubstr("as fast as in FP32; ratios of small are approximate, because their times "
                        "vary by up to 29 %."));
  EXPECT_THAT(mixed_part("c", with_a_long_step(Precision::kFp32)).answer,
              HasSubstr("ratios of small, medium, large, xl and 2.7B are approximate"));
  EXPECT_THAT(mixed_part("c").answer, Not(HasSubstr("approximate")));
}

TEST(SpeedupFigure, DrawsSpeedupsWithTheirDeviation) {
  const Part part = mixed_part("c", with_a_long_step(Precision::kBf16));
  for (const auto& point : part.figures.at(0).spec["data"]["values"]) {
    EXPECT_EQ(point["precision"], "BF16");
  }
  EXPECT_GT(part.figures.at(0).spec["data"]["values"][0]["deviation"], 0.1);
  EXPECT_THAT(texts_in(part.figures.at(0).data, "Speedup"), testing::Each(Not(HasSubstr("±"))));
}

TEST(SpeedupFigure, SaysWhichStepsSynchronizingChanges) {
  const auto caption = [](double factor) {
    const auto of_small = [](const CellSpec& spec) {
      return spec.size == "small" && spec.precision == Precision::kBf16;
    };
    return mixed_part("c", where(of_small, scaled(metric::kSynced, metric::kTotal, factor)))
        .figures.at(0)
        .caption;
  };
  EXPECT_THAT(caption(1), AllOf(HasSubstr("the training step is of steps synchronized once."),
                                Not(HasSubstr("The BF16 step of"))));
  EXPECT_THAT(caption(0.7), HasSubstr("The BF16 step of small takes "));
}

TEST(SpeedupAnswer, WithoutAComparisonSaysNothingOfReasons) {
  const Part part = mixed_part("c", [](const CellSpec& spec, Launch& launch) {
    if (spec.precision != Precision::kFp32) end_with(launch, Crashed{11, ""});
  });
  EXPECT_THAT(part.answer, AllOf(HasSubstr("No size ran both in FP32 and in BF16"),
                                 Not(HasSubstr("was profiled"))));
  EXPECT_TRUE(part.figures.empty());
}

TEST(AccumulationAnswer, SaysWhereRoundingUpAndThenDownCancels) {
  const auto answer = [](const Change& change) {
    const char* problem = "mixed_precision_accumulation";
    return part_of(measured(only(problem), change), problem).answer;
  };
  EXPECT_THAT(answer(as_it_is),
              HasSubstr("contributes 0.0078; just below 8 it contributed 0.012, and the error of "
                        "0.50 accumulated by then almost cancels."));
  const auto stuck_at_nine = [](const CellSpec&, Launch& launch) {
    for (Metric& metric : launch.metrics) {
      if (metric.tag != metric::kRunning || metric.name != metric::kFp16Loop) continue;
      for (double& sum : std::get<std::vector<double>>(std::get<Samples>(metric.data)))
        sum = std::min(sum, 9.0);
    }
  };
  EXPECT_THAT(answer(stuck_at_nine), Not(HasSubstr("cancels")));
}

}  // namespace
}  // namespace labreport::mixed_precision_test
