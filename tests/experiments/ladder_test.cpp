// Tests the ladder: its plan, its gains, and the runs in which each sentence appears.
#include <gmock/gmock.h>

#include <array>
#include <tuple>

#include "experiments/common/ladder.h"
#include "experiments/sample_runs.h"

namespace labreport::ladder_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace testing_samples;

PlanInput ladder_input(Preset preset = Preset::kFull) { return input_for("ladder", preset); }

labreport::Run ladder_run(const Change& change = unchanged, Preset preset = Preset::kFull) {
  return fake_run(ladder_input(preset), change);
}

std::vector<Ladder> ladders_of(const labreport::Run& run) {
  return ladders(RunView(run, find_edition(run.edition)));
}

std::string answer(const labreport::Run& run) { return part_of(run, "ladder").answer; }

Change scale_variant(Variant variant, double factor) {
  return [=](const CellSpec& spec, Launch& launch) {
    if (spec.variant != variant) return;
    for (Metric& metric : launch.metrics) {
      if (metric.unit != "ns") continue;
      if (auto* samples = std::get_if<Samples>(&metric.data)) {
        for (auto& ns : std::get<std::vector<std::int64_t>>(*samples)) {
          ns = static_cast<std::int64_t>(static_cast<double>(ns) * factor);
        }
      } else {
        metric.data = Scalar(static_cast<std::int64_t>(*metric.number() * factor));
      }
    }
  };
}

TEST(LadderPlan, HasALadderIn16BitsAndOneFromFp32ToTf32) {
  const labreport::Run run = ladder_run();
  const std::vector<Ladder> all = ladders_of(run);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].words, "small, FP32 to TF32");
  EXPECT_EQ(all[3].words, "2.7B in BF16");
  const auto changes = [](const Ladder& ladder) {
    std::vector<std::string> words;
    for (const Rung& rung : ladder.rungs) words.push_back(rung.change);
    return words;
  };
  EXPECT_THAT(changes(all[3]), ElementsAre("einsum", "matmul", "SDPA", "fused AdamW", "CUDA graph",
                                           "torch.compile"));
  EXPECT_THAT(changes(all[0]), ElementsAre("einsum", "matmul", "SDPA", "fused AdamW", "TF32",
                                           "CUDA graph", "torch.compile"));
}

TEST(LadderPlan, TakesTheNextSizeIfTheLargestDoesNotFit) {
  const labreport::Run run = ladder_run([](const CellSpec& spec, Launch& launch) {
    if (spec.kind == CellKind::kLadder && spec.size == "2.7B")
      end_with(launch, OutOfMemory{"forward", 1 << 30, 1 << 30, 1 << 30});
  });
  const std::vector<Ladder> all = ladders_of(run);
  EXPECT_EQ(all.at(2).size, "xl");
  EXPECT_EQ(all.at(3).rungs.size(), 6u);
  EXPECT_EQ(all.back().size, "2.7B");
  EXPECT_EQ(all.back().rungs.size(), 1u) << "its first rung says why";
}

TEST(Ladder, ComparesEachRungWithTheOneBeforeThatRan) {
  const labreport::Run run = ladder_run([](const CellSpec& spec, Launch& launch) {
    if (spec.variant == Variant::kSdpa) end_with(launch, Skipped{"no such kernel"});
  });
  const Ladder ladder = ladders_of(run).at(1);
  const std::vector<Gain> all = gains(ladder);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].before->change, "matmul");
  EXPECT_EQ(all[1].after->change, "fused AdamW");
  EXPECT_NEAR(all[1].speedup(), 2, 0.01);
  EXPECT_EQ(ladder.rungs[2].reason, "skipped: no such kernel");
}

TEST(Ladder, EndsWithAStepAtTheRatesOfTheDataSheetOrElseOfTheFastestGemmAndOfCopies) {
  const auto peak = [](const CellSpec& spec, Launch& launch) {
    if (spec.kind != CellKind::kLimits) return;
    for (Metric& metric : launch.metrics) {
      if (metric.tag == metric::kMatrixRate)
        metric.data = Samples(std::vector<double>{2e13, 1e13, 1e13});
    }
  };
  labreport::Run run = ladder_run(peak);
  for (const auto& [device, flop_rate, bandwidth] :
       {std::tuple("NVIDIA H200", 989.5e12, 4.8e12), std::tuple("an unknown GPU", 2e13, 4.1e12)}) {
    run.devices.front().name = device;
    const Ladder ladder = ladders_of(run).back();
    const CellSpec& spec = ladder.rungs.front().cell->spec;
    const double bytes = 28.0 * static_cast<double>(parameter_count(*spec.model));
    const double seconds = *step_flops(spec) / flop_rate + bytes / bandwidth;
    EXPECT_NEAR(*ladder.ms_at_peaks, 1e3 * seconds, 1e-6) << device;
  }
}

TEST(Ladder, LeavesSmallGainsOut) {
  const labreport::Run run = ladder_run(scale_variant(Variant::kEinsum, 0.505));
  const Ladder ladder = ladders_of(run).front();
  for (const Gain& gain : largest_gains(ladder, 9)) EXPECT_NE(gain.after->change, "matmul");
}

Rung make_rung(const char* change, std::vector<double> steps_ms, double busy_ms) {
  Rung rung{nullptr, change, "", std::move(steps_ms)};
  rung.busy_ms = busy_ms;
  return rung;
}

std::vector<std::string> largest_changes(const Ladder& ladder) {
  std::vector<std::string> changes;
  for (const Gain& gain : largest_gains(ladder, 3)) changes.push_back(gain.after->change);
  return changes;
}

TEST(Ladder, RanksChangesBySavedTime) {
  Ladder ladder{"2.7B", "2.7B in FP32", "FP32", {}};
  ladder.rungs = {make_rung("SDPA", {1136}, 1123), make_rung("fused AdamW", {1014}, 1008),
                  make_rung("TF32", {283}, 275), make_rung("CUDA graph", {281}, 276)};
  EXPECT_THAT(largest_changes(ladder), ElementsAre("TF32", "fused AdamW"));
}

TEST(Ladder, RanksNoChangeThatSavesLessThanTheStepsScatter) {
  Ladder ladder{"demo", "demo in FP32", "FP32", {}};
  ladder.rungs = {make_rung("einsum", {99, 101}, 95), make_rung("matmul", {88, 92}, 86),
                  make_rung("SDPA", {80, 90}, 80)};
  EXPECT_THAT(largest_changes(ladder), ElementsAre("matmul"));
}

TEST(Ladder, RanksNoChangeOfALaunchBoundStepButNamesTheOneThatEndsIt) {
  Ladder ladder{"small", "small in FP32", "FP32", {}};
  ladder.rungs = {make_rung("fused AdamW", {49.6}, 47.2), make_rung("TF32", {35.5}, 19.4),
                  make_rung("CUDA graph", {19.9}, 19.3), make_rung("torch.compile", {15.1}, 14.2)};
  EXPECT_THAT(largest_changes(ladder), testing::IsEmpty());
  EXPECT_EQ(end_of_launch_bound_steps(ladder)->after->change, "CUDA graph");
  ladder.rungs.erase(ladder.rungs.begin() + 1);
  EXPECT_FALSE(end_of_launch_bound_steps(ladder).has_value());
}

/// The rungs before and after a change to `variant`: ms of a step, of its kernels and of the
/// optimizer's kernels, and the number of kernels.
std::string reason_of(Variant variant, std::array<double, 4> before, std::array<double, 4> after) {
  Cell cells[2];
  cells[1].spec.variant = variant;
  const auto rung_of = [](const Cell& cell, const std::array<double, 4>& numbers) {
    Rung rung = make_rung("", {numbers[0]}, numbers[1]);
    rung.cell = &cell;
    rung.optimizer_ms = numbers[2];
    rung.kernels = numbers[3];
    rung.peak_bytes = numbers[3];
    return rung;
  };
  const Rung first = rung_of(cells[0], before), second = rung_of(cells[1], after);
  return reason_clause({&first, &second});
}

TEST(LadderReason, IsWhatSavesAtLeastHalfOfTheTime) {
  EXPECT_EQ(reason_of(Variant::kCudaGraph, {155, 147, 27, 5671}, {148, 147, 27, 5671}),
            "because GPU idle time a kernel falls from 1.41 to 0.176 µs");
  EXPECT_EQ(reason_of(Variant::kSdpa, {63, 25, 5, 4000}, {55, 24, 5, 3500}),
            "because 500 fewer kernels run: GPU idle time falls by 7.00 ms");
  EXPECT_EQ(reason_of(Variant::kMatmul, {80, 64.2, 6, 3688}, {69.5, 63, 6, 3603}), "")
      << "85 launches do not take 9 ms";
  EXPECT_EQ(reason_of(Variant::kSdpa, {303, 290, 109, 10699}, {244, 229, 109, 9579}),
            "because attention writes no scores to memory: GPU time falls by 61.0 ms");
  EXPECT_EQ(
      reason_of(Variant::kFusedAdamW, {244, 229, 109, 9579}, {155, 147, 27, 5671}),
      "because AdamW moves 28 instead of 132 bytes a parameter: its GPU time falls by 82.0 ms");
  EXPECT_EQ(reason_of(Variant::kFusedAdamW, {244, 229, 109, 9579}, {155, 147, 80, 9579}),
            "because GPU time falls by 82.0 ms");
  EXPECT_EQ(reason_of(Variant::kFusedAdamW, {49.6, 47.2, 1, 900}, {35.5, 19.4, 1, 900}),
            "because GPU time falls by 27.8 ms, but GPU idle time rises by 13.7 ms");
}

TEST(Ladder, NamesTensorCoresForTf32) {
  const Change halved = scale_variant(Variant::kFusedAdamW, 0.5);
  const labreport::Run run = ladder_run([&](const CellSpec& spec, Launch& launch) {
    if (spec.precision == Precision::kTf32) halved(spec, launch);
  });
  const std::vector<Ladder> all = ladders_of(run);
  const std::vector<Gain> all_gains = gains(all.front());
  const auto tf32 =
      std::ranges::find(all_gains, "TF32", [](const Gain& g) { return g.after->change; });
  ASSERT_NE(tf32, all_gains.end());
  EXPECT_THAT(reason_clause(*tf32),
              HasSubstr("because GEMMs run on tensor cores: GPU time falls "));
}

/// Returns the parts of a rung's strip in a figure.
std::vector<std::string> strip_of(const Figure& figure, const std::string& change) {
  std::vector<std::string> parts;
  for (const auto& row : figure.spec["data"]["values"]) {
    if (row["rung"] == change) parts.push_back(row["part"]);
  }
  return parts;
}

TEST(LadderFigure, TellsPhasesApartButNotThoseOfAReplayedGraph) {
  const Section summary = build_document(ladder_run(), false).sections.front();
  ASSERT_EQ(summary.problem, "summary");
  const Figure& figure = summary.parts.front().figures.front();
  EXPECT_THAT(strip_of(figure, "SDPA"),
              testing::IsSupersetOf({"forward", "backward", "optimizer"}));
  EXPECT_THAT(strip_of(figure, "CUDA graph"),
              AllOf(Contains("replayed graph"), Not(testing::Contains("forward"))));
  EXPECT_EQ(strip_of(figure, "einsum").size(), strip_of(figure, "matmul").size());
}

TEST(LadderFigure, DrawsAStepWhoseKernelsTakeLongerAsAWhole) {
  const Change slow_profile = scaled(metric::kProfile, metric::kBusy, 1e3);
  const Part part = part_of(ladder_run(slow_profile), "ladder");
  EXPECT_THAT(strip_of(part.figures.front(), "SDPA"), testing::Each(std::string("step")));
}

TEST(LadderAnswer, RanksAChangeToALaunchBoundStepWithTheOneThatEndsIt) {
  const Change one_pace =
      combined(scale_variant(Variant::kMatmul, 2),
               combined(scale_variant(Variant::kSdpa, 3), scale_variant(Variant::kFusedAdamW, 4)));
  const Change idle = where(
      [](const CellSpec& spec) {
        return spec.precision == Precision::kTf32 && spec.variant == Variant::kFusedAdamW;
      },
      scaled(metric::kProfile, metric::kBusy, 0.1));
  EXPECT_THAT(answer(ladder_run(one_pace)),
              AllOf(HasSubstr("Begin with **CUDA graph**, which saves most, "),
                    Not(HasSubstr("together"))));
  EXPECT_THAT(
      answer(ladder_run(combined(one_pace, idle))),
      testing::ContainsRegex("Begin with \\*\\*TF32 and CUDA graph\\*\\*, which save most "
                             "together, .* ms.*\\. With TF32 alone the step is launch-bound\\."));
}

TEST(LadderAnswer, TellsIdleTimeThatEndsUnlessTheFirstStepIsLaunchBound) {
  const auto with_busy_scaled = [](double factor) {
    return answer(
        ladder_run(where([](const CellSpec& spec) { return spec.variant == Variant::kEinsum; },
                         scaled(metric::kProfile, metric::kBusy, factor))));
  };
  const auto told = HasSubstr("ms saved are GPU idle time that ends.");
  EXPECT_THAT(with_busy_scaled(0.86), told);
  EXPECT_THAT(with_busy_scaled(1), Not(told));
  EXPECT_THAT(with_busy_scaled(0.5), Not(told)) << "the answer says that it is launch-bound";
}

/// Varies the steps of all rungs by this share, in turns.
Change varied_steps(double share) {
  return each_sample(metric::kStep, metric::kTotal, [share](double ns, std::size_t step) {
    return ns * (step % 2 == 0 ? 1 - share : 1 + share);
  });
}

TEST(LadderAnswer, GivesTheSpreadOfItsFactorOrNoHeadlineIfStepsVary) {
  const auto summary = [](const labreport::Run& run) {
    return build_document(run, false).sections.front().parts.front().answer;
  };
  EXPECT_THAT(summary(ladder_run()), AllOf(HasSubstr("training step of 2.7B in BF16 falls from "),
                                           Not(HasSubstr("by a factor of"))));
  const labreport::Run varied = ladder_run(varied_steps(0.2));
  EXPECT_THAT(summary(varied),
              testing::ContainsRegex("2.7B in BF16 falls from [0-9.,]+ to [0-9.,]+ ms, by a factor "
                                     "of [0-9.]+ ± [0-9.]+\\."));
  EXPECT_THAT(answer(varied),
              testing::ContainsRegex("2.7B in BF16: [0-9.]+ ± [0-9.]+×\\*\\*, from"));
  const labreport::Run unclear = ladder_run(varied_steps(0.9));
  EXPECT_THAT(summary(unclear), Not(HasSubstr("falls from")));
  EXPECT_THAT(answer(unclear), AllOf(HasSubstr("**2.7B in BF16: no clear gain**, from "),
                                     Not(HasSubstr("×")), Not(HasSubstr("Begin with"))));
  const Figure& figure = part_of(unclear, "ladder").figures.front();
  EXPECT_THAT(figure.title, Not(HasSubstr(" to ")));
}

TEST(LadderReasons, AreGivenForEachRungOrNotKnown) {
  const auto reasons = [](const labreport::Run& run) {
    return texts_in(table_of(part_of(run, "ladder"), "reasons"), "Because");
  };
  const auto of_einsum = [](const Change& change) {
    return where([](const CellSpec& spec) { return spec.variant == Variant::kEinsum; }, change);
  };
  EXPECT_THAT(reasons(ladder_run()).front(), "–") << "the first rung saves nothing";
  EXPECT_THAT(reasons(ladder_run()), testing::Each(Not("")));
  EXPECT_THAT(reasons(ladder_run(of_einsum(scaled(metric::kStep, metric::kTotal, 0.1)))),
              Contains("saves nothing"));
  EXPECT_THAT(
      reasons(ladder_run(of_einsum(scaled(metric::kProfile, metric::kBusy, 0.5)))),
      Contains(testing::ContainsRegex(
          "not known: GPU idle time falls by .* ms, more than 400 fewer launches explain")));
  EXPECT_THAT(reasons(ladder_run(unchanged, Preset::kDemo)), Contains("not known: not profiled"));
}

TEST(LadderAnswer, NamesLossesThatDiffer) {
  const auto diverging_losses = where(
      [](const CellSpec& spec) {
        return spec.variant == Variant::kFusedAdamW && spec.size == "small";
      },
      with_losses(std::vector<double>(15, 9.9)));
  EXPECT_THAT(answer(ladder_run(diverging_losses)), HasSubstr("more than rounding explains"));
  EXPECT_THAT(answer(ladder_run()), Not(HasSubstr("more than rounding explains")));
}

TEST(LadderAnswer, SaysThatACpuHasNoCudaGraph) {
  const labreport::Run run = ladder_run(unchanged, Preset::kDemo);
  EXPECT_EQ(ladders_of(run).front().rungs.back().reason, "skipped: a CUDA graph needs a GPU");
  EXPECT_THAT(answer(run),
              AllOf(HasSubstr("**demo-1 in FP32: 4.00×**"), Not(HasSubstr("kernels"))));
}

TEST(LadderAnswer, NeedsTwoRungsThatRan) {
  const labreport::Run run = ladder_run([](const CellSpec& spec, Launch& launch) {
    if (spec.variant) end_with(launch, Skipped{"too small a GPU"});
  });
  EXPECT_EQ(answer(run), "This run does not answer this question.");
}

}  // namespace
}  // namespace labreport::ladder_test
