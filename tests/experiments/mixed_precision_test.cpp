// Tests the mixed-precision problems: the runs in which each sentence appears.
#include <gmock/gmock.h>

#include <regex>

#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/bound.h"
#include "experiments/overview/overview.h"
#include "experiments/problems.h"
#include "experiments/sample_runs.h"

namespace labreport::mixed_precision_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;
using MeasuredRun = labreport::Run;  // testing::Test has a member Run.

constexpr const char* kMixed = "benchmarking_mixed_precision";

Part mixed_part(const char* letter, const Change& change = unchanged) {
  const std::string name = kMixed + (std::string(".") + letter);
  return part_of(fake_run(input_for(name), change), name);
}

/// Returns the part about layer normalization after a change of each row.
Part layer_norm_part(std::function<void(const NamedRow&)> change) {
  return mixed_part("b", each_row(metric::kLayerNorm, std::move(change)));
}

bool has_format(const NamedRow& row, const char* format) { return row.has("format", format); }

TEST(LayerNormAnswer, NeedsAnErrorThatRoundingTheOutputAloneReduces) {
  const auto answer_if_reductions_err = [](double error) {
    return layer_norm_part([=](const NamedRow& row) {
             if (has_format(row, "bf16") && row.has("method", metric::kReductions))
               row["output_error"] = error;
           })
        .answer;
  };
  EXPECT_THAT(answer_if_reductions_err(0.0046), HasSubstr("by **0.46 %** if every step"));
  EXPECT_EQ(answer_if_reductions_err(0.001), "This run does not answer this question.");
}

TEST(LayerNorm, LeavesOutRowsThatDoNotSayWhetherTheyOverflow) {
  const auto row_count = [](const Part& part) { return part.details.tables.back().rows.size(); };
  EXPECT_EQ(row_count(mixed_part("b")), 6u) << "two formats, three methods, the widest vectors";
  EXPECT_EQ(row_count(layer_norm_part([](const NamedRow& row) {
              if (has_format(row, "bf16")) row["sum_overflow"] = Scalar();
            })),
            3u);
}

TEST(Dtypes, IncludeTheUsersModel) {
  PlanInput input = input_for("benchmarking_mixed_precision.a");
  input.selection.model.emplace().implementation = "Net-0a1b2c3d";
  const Part part = part_of(fake_run(input), kMixed);
  EXPECT_THAT(part.answer, HasSubstr("- loss: **FP32** by cross-entropy")) << "the toy model's";
  ASSERT_EQ(part.tables.size(), 1u);
  EXPECT_EQ(part.tables.front().title, "Dtypes of a model of yours");
  EXPECT_THAT(lines_of(part.tables.front()).front(), testing::StartsWith("parameters | "));
  const auto fails = [](const CellSpec& spec, Launch& launch) {
    if (!spec.implementation.empty()) end_with(launch, Failed{"Net.forward failed"});
  };
  const Part failed = part_of(fake_run(input, fails), kMixed);
  EXPECT_TRUE(failed.tables.empty());
}

/// The times of a pass's kernels in ms, by class.
struct KernelTimes {
  double gemms_ms, copies_ms, others_ms;
};

void write_profile(Launch& launch, const KernelTimes& times) {
  for (Table& table : launch.tables) {
    if (table.name != metric::kKernels) continue;
    table.rows.clear();
    for (const auto phase : {metric::kForward, metric::kBackward}) {
      for (const auto& [kind, ms] :
           {std::pair("gemm", times.gemms_ms), std::pair("copy", times.copies_ms),
            std::pair("elementwise", times.others_ms)}) {
        table.rows.push_back(kernel_row(table, phase, kind, ms, 100));
      }
    }
  }
}

/// Plans timed and profiled steps in both precisions.
PlanInput profiled_input() {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"nsys_profile.d", "benchmarking_mixed_precision.c"};
  return input;
}

Part speedup_part(const MeasuredRun& run) { return part_of(run, "benchmarking_mixed_precision.c"); }

TEST(SpeedupAnswer, NamesTheShareOfGemmsOnlyIfNothingElseGetsFaster) {
  const auto answer = [](double others_speedup) {
    return speedup_part(fake_run(profiled_input(),
                                 [=](const CellSpec& spec, Launch& launch) {
                                   if (spec.kind != CellKind::kKernels || spec.steps == 0) return;
                                   const bool is_half = spec.precision != Precision::kFp32;
                                   const double gemms_ms = spec.size == "small" ? 20 : 90;
                                   write_profile(
                                       launch, {is_half ? gemms_ms / 10 : gemms_ms, 5,
                                                (95 - gemms_ms) / (is_half ? others_speedup : 1)});
                                 }))
        .answer;
  };
  EXPECT_THAT(answer(1), HasSubstr("take **20.0** (small) to **90.0 %** (2.7B)"));
  EXPECT_THAT(answer(2), Not(HasSubstr("The gain grows")));
}

/// Makes kernels fill the share `share_of(size)` of each pass and each step in 16 bits.
Change with_kernels_that_fill(std::function<double(const std::string&)> share_of) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.precision == Precision::kFp32) return;
    constexpr std::int64_t kPassNs = 1'000'000;
    for (Metric& metric : launch.metrics) {
      const bool is_step = metric.tag == metric::kStep && metric.name == metric::kTotal;
      if (spec.kind == CellKind::kTiming && (is_step || metric.tag == metric::kSynced)) {
        metric.data = Samples(
            std::vector<std::int64_t>(metric.numbers().size(), is_step ? 4 * kPassNs : kPassNs));
      }
      if (spec.kind == CellKind::kKernels && metric.tag == metric::kBusy)
        metric.data = Scalar(static_cast<std::int64_t>(share_of(spec.size) * kPassNs));
    }
  };
}

/// Returns a run in which kernels of small fill half of the times in 16 bits, those of medium 85 %,
/// and those of larger networks 95 %.
MeasuredRun run_with_all_bounds() {
  return fake_run(profiled_input(), with_kernels_that_fill([](const std::string& size) {
                    return size == "small" ? 0.5 : size == "medium" ? 0.85 : 0.95;
                  }));
}

TEST(Bounds, AreTheSameInEveryPartOfAReport) {
  const MeasuredRun run = run_with_all_bounds();
  const Document document = build_document(run, false);
  const auto names_both = HasSubstr(
      "In BF16, the CPU sets the times of small (launch-bound) and some of medium (mixed)");
  const auto in_one_line = [](const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+|\\*\\*"), " ");
  };
  const Part part = speedup_part(run);
  EXPECT_THAT(part.answer, names_both);
  EXPECT_THAT(document.sections.front().parts.front().answer, names_both) << "the summary";
  EXPECT_THAT(in_one_line(document.method),
              HasSubstr("Launch-bound sizes of this run: small, BF16; mixed: medium, BF16."));
  for (const auto& point : part.figures.at(0).spec["data"]["values"]) {
    EXPECT_EQ(point["bound"], point["label"] == "small"    ? "launch-bound"
                              : point["label"] == "medium" ? "mixed"
                                                           : "GPU-bound");
  }
  const TableView table = table_of(part, "bounds");
  const std::vector<std::string> sizes = texts_in(table, "Size"), bounds = texts_in(table, "Bound");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(bounds[i], sizes[i] == "small, BF16"    ? "launch-bound"
                         : sizes[i] == "medium, BF16" ? "mixed"
                                                      : "GPU-bound")
        << sizes[i];
  }
  for (const Quantity& quantity : overview::run_summary(run).quantities) {
    if (quantity.topic != topic::kTrainingStep && quantity.topic != topic::kMixedPrecision)
      continue;
    const bool is_of_cpu = quantity.precision == "BF16" &&
                           (quantity.network == "small" || quantity.network == "medium");
    for (const auto& [name, value] : quantity.values) {
      if (name == "optimizer") continue;  // It has a bound of its own.
      EXPECT_EQ(quantity.is_set_by_cpu(name), is_of_cpu) << quantity.network << name;
    }
  }
}

TEST(Bounds, HaveLimitsThatCountUpwards) {
  const auto bound_of = [](double kernel_share) {
    return TimeBound{.costs = LaunchCosts{1, kernel_share, 1}}.bound();
  };
  EXPECT_EQ(bound_of(kLaunchBoundBelow), Bound::kMixed);
  EXPECT_EQ(bound_of(kGpuBoundFrom), Bound::kDevice);
  EXPECT_EQ(TimeBound{}.bound(), std::nullopt);
}

TEST(Bounds, FollowTheGpusLagWithoutAProfile) {
  EXPECT_EQ(TimeBound{.lag_shares = {0.01}}.bound(), Bound::kLaunch);
  EXPECT_EQ((TimeBound{.lag_shares = {0.01, 0.12}}.bound()), Bound::kMixed);
  const auto answer = mixed_part("c").answer;  // Only timing is planned, not kernels.
  EXPECT_THAT(answer, HasSubstr("In BF16, the CPU sets the times of small (launch-bound)."))
      << "without a profile the reason of a slowdown is unknown";
}

TEST(Bounds, LeaveOpenWhatElseTheCpuSetsWithoutAProfile) {
  TimingGroup group;
  group.label = "medium";
  group.spec.precision = Precision::kBf16;
  const auto words_if = [&](bool is_profiled) {
    return benchmarking_mixed_precision::times_of_cpu({{.group = &group,
                                                        .forward = {},
                                                        .backward = {},
                                                        .step = {},
                                                        .bound = Bound::kMixed,
                                                        .is_bound_profiled = is_profiled}});
  };
  EXPECT_EQ(words_if(true), "some times of medium (mixed)");
  EXPECT_EQ(words_if(false), "at least some times of medium");
  const TimeBound profiled{.costs = LaunchCosts{1, 0.85, 1}}, lagging{.lag_shares = {0.01, 0.12}};
  EXPECT_TRUE((NetworkBounds{.forward = profiled}.is_profiled()));
  EXPECT_FALSE((NetworkBounds{.forward = profiled, .step = lagging}.is_profiled()));
}

TEST(SpeedupAnswer, PrefersTheLargestNetworkWhoseTimesTheGpuSets) {
  const auto part_if = [](std::function<double(const std::string&)> share_of) {
    return speedup_part(fake_run(profiled_input(), with_kernels_that_fill(std::move(share_of))));
  };
  const auto answer_if = [&](auto share_of) { return part_if(std::move(share_of)).answer; };
  const auto large_fills = [](double share) {
    return [=](const std::string& size) { return size == "2.7B" || size == "xl" ? share : 0.95; };
  };
  EXPECT_THAT(answer_if(large_fills(0.95)), HasSubstr("(small to 2.7B)."));
  EXPECT_THAT(answer_if(large_fills(0.85)), HasSubstr("(small to large)."));
  EXPECT_THAT(answer_if(large_fills(0.5)), HasSubstr("(small to large)."));
  const Part of_cpu = part_if([](const std::string&) { return 0.5; });
  EXPECT_THAT(of_cpu.answer, HasSubstr("(small to 2.7B)."));
  EXPECT_EQ(of_cpu.figures.at(0).title, "BF16 speedup by model size") << "no finding about a GPU";
}

/// Changes the samples of a metric of FP32 steps.
Change in_fp32(std::string_view tag, std::string_view name,
               std::function<double(double ns, std::size_t step)> change) {
  return where([](const CellSpec& spec) { return spec.precision == Precision::kFp32; },
               each_sample(tag, name, std::move(change)));
}

TEST(Speedups, AreNotThoseOfAStalledStep) {
  PlanInput input = input_for("benchmarking_mixed_precision.c");
  const auto stall = [](double ns, std::size_t step) { return step == 9 ? 4 * ns : ns; };
  const MeasuredRun steady = fake_run(input);
  const MeasuredRun stalled = fake_run(input, in_fp32(metric::kStep, metric::kTotal, stall));
  const RunSummary expected = overview::run_summary(steady),
                   summary = overview::run_summary(stalled);
  EXPECT_NEAR(summary.headline.fp32_ms / expected.headline.fp32_ms, 1, 0.02);
  ASSERT_EQ(summary.quantities.size(), expected.quantities.size());
  for (std::size_t i = 0; i < summary.quantities.size(); ++i) {
    for (const auto& [name, value] : summary.quantities[i].values)
      EXPECT_NEAR(value / *expected.quantities[i].find(name), 1, 0.02) << name;
  }
  const Document document = build_document(stalled, false);
  EXPECT_THAT(table_of(document.sections.front().parts.front(), "steps").rows.front().flags,
              testing::ElementsAre("mean without a stalled step"));
  const Part part = speedup_part(stalled);
  const auto& passes = part.figures.at(0).table.rows;
  EXPECT_THAT(passes.front().flags, testing::IsEmpty()) << "the forward pass";
  EXPECT_THAT(passes.at(2).flags, testing::ElementsAre("outlier")) << "the training step";
}

TEST(SpeedupFigure, DrawsSpeedupsWithTheirDeviation) {
  const Part part = mixed_part(
      "c", in_fp32(metric::kSynced, metric::kForward,
                   [](double ns, std::size_t step) { return step % 2 == 0 ? 1.5 * ns : ns; }));
  for (const auto& point : part.figures.at(0).spec["data"]["values"]) {
    EXPECT_EQ(point["precision"], "BF16");
  }
  EXPECT_GT(part.figures.at(0).spec["data"]["values"][0]["deviation"], 0.1);
  EXPECT_THAT(texts_in(part.figures.at(0).table, "Speedup"), testing::Each(Not(HasSubstr("±"))));
}

TEST(SpeedupAnswer, GivesNoReasonsWithoutAComparison) {
  const Part part = mixed_part("c", [](const CellSpec& spec, Launch& launch) {
    if (spec.precision != Precision::kFp32) end_with(launch, Crashed{11, ""});
  });
  EXPECT_EQ(part.answer, "This run does not answer this question.");
  EXPECT_TRUE(part.figures.empty());
}

}  // namespace
}  // namespace labreport::mixed_precision_test
