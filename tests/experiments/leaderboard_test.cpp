// Tests plan and report of the leaderboard's step.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/format.h"
#include "experiments/sample_runs.h"
#include "plan/arithmetic.h"
#include "plan/leaderboard.h"
#include "results/leaderboard_rung.h"

namespace labreport::leaderboard_test {
namespace {

using namespace testing_samples;
using testing::HasSubstr;

PlanInput leaderboard_input(Preset preset = Preset::kFull) {
  return input_for("leaderboard", preset, "2026");
}

std::vector<CellSpec> steps_of(const Run& run) {
  std::vector<CellSpec> specs;
  for (const Cell& cell : run.cells) {
    if (cell.spec.kind == CellKind::kLeaderboard) specs.push_back(cell.spec);
  }
  return specs;
}

Change out_of_memory_above(std::int64_t layers) {
  return where([=](const CellSpec& spec) { return spec.model && spec.model->layers > layers; },
               [](const CellSpec&, Launch& launch) {
                 launch.outcome = OutOfMemory{"backward", 1 << 30, 0, 0};
                 launch.metrics.clear();
                 launch.tables.clear();
               });
}

Part report(const Run& run) { return part_of(run, "leaderboard"); }

TEST(LeaderboardPlan, BeginsWithTheRungThatNeedsLeast) {
  const auto first = planned(leaderboard_input(), CellKind::kLeaderboard);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(
      cell_id(first.front()),
      "leaderboard.cuda.leaderboard-fused_head.d4096-f11008-l34-h32-v151936.nccl.r2.b1.c32768."
      "bf16.train_step.w2.n3");
}

TEST(LeaderboardPlan, HasAllRungsAndTheFastestOnceMoreByDoBench) {
  const std::vector<CellSpec> steps = steps_of(fake_run(leaderboard_input()));
  ASSERT_EQ(steps.size(), kLeaderboardRungs.size() + 1);
  EXPECT_EQ(leaderboard_rung(steps.back()), LeaderboardRung::kSavedProducts);
  EXPECT_EQ(steps.back().repeats, 6) << "30 s hold six steps of 4.8 s";
}

TEST(LeaderboardPlan, TakesAwayLayersUntilTheNetworkFits) {
  const labreport::Run run = fake_run(leaderboard_input(), out_of_memory_above(17));
  const std::vector<CellSpec> steps = steps_of(run);
  EXPECT_EQ(steps[0].model->layers, 34);
  EXPECT_EQ(steps[1].model->layers, 24);
  for (std::size_t i = 2; i < steps.size(); ++i) EXPECT_EQ(steps[i].model->layers, 17);
  EXPECT_THAT(report(run).answer, HasSubstr("of the 8B network with 17 layers"));
}

TEST(LeaderboardPlan, HasOneRankOnAHostWithOneGpu) {
  const labreport::Run run =
      fake_run(leaderboard_input(),
               where([](const CellSpec& spec) { return spec.ranks && spec.ranks->count == 2; },
                     [](const CellSpec&, Launch& launch) {
                       launch.outcome = Skipped{"this host has 1 GPU"};
                       launch.metrics.clear();
                       launch.tables.clear();
                     }));
  EXPECT_EQ(steps_of(run).back().ranks->count, 1);
  EXPECT_THAT(report(run).answer, HasSubstr("on one Fake H200"));
}

TEST(LeaderboardPlan, TakesAwayLayersOfTwoRanksWhereStateIsTooLarge) {
  const labreport::Run run =
      fake_run(leaderboard_input(),
               where([](const CellSpec& spec) { return spec.model && spec.model->layers > 17; },
                     [](const CellSpec& spec, Launch& launch) {
                       launch.outcome = Skipped{*why_it_does_not_fit(spec, 24LL << 30)};
                       launch.metrics.clear();
                       launch.tables.clear();
                     }));
  EXPECT_EQ(steps_of(run).back().model->layers, 17);
  EXPECT_EQ(steps_of(run).back().ranks->count, 2);
}

TEST(LeaderboardPlan, IsTinyOnACpuWithoutCompiledRungs) {
  const labreport::Run run = fake_run(leaderboard_input(Preset::kDemo));
  const std::vector<CellSpec> steps = steps_of(run);
  ASSERT_EQ(steps.size(), 5u);
  for (const CellSpec& spec : steps) {
    EXPECT_EQ(spec.model, leaderboard::kTinyShape);
    EXPECT_LT(leaderboard_rung(spec), LeaderboardRung::kCudnn);
  }
}

TEST(LeaderboardPlan, MeasuresAStepOfTheUsersInTheRungsPlace) {
  PlanInput input = leaderboard_input();
  ModelSource source;
  source.implementation = "make_step-0a1b2c3d";
  source.model = "train.py:make_step";
  source.step = StepMaker{.takes_size = true, .takes_context = true};
  input.selection.model = source;
  const labreport::Run run = fake_run(input);
  const std::vector<CellSpec> steps = steps_of(run);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps.back().implementation, "make_step-0a1b2c3d");
  EXPECT_TRUE(steps.back().repeats);
  EXPECT_THAT(report(run).answer, HasSubstr("make\\_step’s step of the 8B network takes **"));
}

TEST(Leaderboard, TellsTheFastestStepAndTheFirstThatFits) {
  const Part part = report(fake_run(leaderboard_input()));
  EXPECT_THAT(
      part.answer,
      HasSubstr("of the 8B network takes **4.81 s** on two Fake H200, with GEMM outputs kept"));
  EXPECT_THAT(part.answer, HasSubstr("as fast as checkpointed blocks at 7.22 s"));
  EXPECT_THAT(part.answer, HasSubstr("GEMMs take 2.40 s of it and attention 1.92 s"));
  EXPECT_THAT(part.answer, HasSubstr("at this GPU’s peak rate take 2.55 s"));
}

TEST(Leaderboard, ShowsWhereAStepThatDoesNotFitEnds) {
  const Part part = report(fake_run(leaderboard_input()));
  const auto rungs = std::ranges::find(part.tables, "rungs", &TableView::slug);
  ASSERT_NE(rungs, part.tables.end());
  EXPECT_EQ(rungs->text(rungs->rows.front(), 0), "replicated");
  EXPECT_EQ(rungs->rows.front().missing_reason, "out of memory in forward");
}

/// Returns the figure of the page over all problems that shows the ladder.
nlohmann::json ladder_figure(const labreport::Run& run) {
  for (const Section& section : build_document(run, false).sections) {
    for (const Part& part : section.parts) {
      for (const Figure& figure : part.figures) {
        if (figure.slug == "shrinking-leaderboard-step") return figure.spec;
      }
    }
  }
  throw std::runtime_error("no figure of the ladder");
}

TEST(Leaderboard, DrawsARungThatCannotFitInTwoWords) {
  const labreport::Run run =
      fake_run(leaderboard_input(), [](const CellSpec& spec, Launch& launch) {
        if (const auto reason = why_it_does_not_fit(spec, 140LL << 30)) {
          launch = Launch{};
          launch.outcome = Skipped{*reason};
        }
      });
  EXPECT_THAT(ladder_figure(run).dump(), HasSubstr("\"cannot fit\""));
  const Part part = report(run);
  const auto rungs = std::ranges::find(part.tables, "rungs", &TableView::slug);
  ASSERT_NE(rungs, part.tables.end());
  EXPECT_THAT(
      rungs->rows.front().missing_reason,
      HasSubstr("of weights, moments, logits and what backward needs do not fit 140.0 GiB"));
}

/// Returns GiB of a rank that holds one of two sequences.
double least_gib(LeaderboardRung rung) {
  CellSpec spec;
  spec.implementation = implementation_of(rung);
  spec.model = leaderboard::kShape;
  spec.batch = 1;
  spec.context = leaderboard::kContext;
  spec.ranks = Ranks{2, Collectives::kNccl};
  return static_cast<double>(*leaderboard::least_peak_bytes(spec)) / kBytesPerGibibyte;
}

TEST(Leaderboard, NeedsNoMoreMemoryThanRungsWereSeenToTake) {
  const double weights_and_moments = 3 * 2 * 8'125'698'048.0 / 2 / kBytesPerGibibyte;
  const double residual = 0.25, inner = 0.671875, vocab = 151936.0 * 4096 / kBytesPerGibibyte;
  EXPECT_NEAR(least_gib(LeaderboardRung::kSavedAttention),
              weights_and_moments + 34 * 2 * residual + (4 + 4 + 4) * vocab, 1e-6);
  EXPECT_NEAR(least_gib(LeaderboardRung::kSharded),
              weights_and_moments + 34 * (14 * residual + 5 * inner) + (4 + 16 * 8) * vocab, 1e-6);
  EXPECT_LT(least_gib(LeaderboardRung::kFusedHead), 43.9);
  EXPECT_LT(least_gib(LeaderboardRung::kSavedAttention), 55.7);
  EXPECT_GT(least_gib(LeaderboardRung::kCheckpointed), 80) << "the logits in FP32";
}

TEST(Leaderboard, ReportsARunThatHasOnlyTheStepOfDoBench) {
  labreport::Run run = fake_run(leaderboard_input());
  run.cells = {run.cells.back()};
  ASSERT_TRUE(run.cells.front().spec.repeats);
  EXPECT_THAT(report(run).answer, HasSubstr("takes **4.81 s** on two Fake H200"));
}

TEST(Leaderboard, CountsTheFlopsOfTheArithmetic) {
  CellSpec spec;
  spec.model = leaderboard::kShape;
  spec.batch = 1;
  spec.context = leaderboard::kContext;
  EXPECT_NEAR(2 * leaderboard::product_flops(spec), 2.950e15, 1e12);
  EXPECT_NEAR(2 * leaderboard::causal_attention_flops(spec), 2.093e15, 1e12);
}

TEST(Leaderboard, ScalesEachPartByItsOwnLimitToABoardOfB200) {
  const Part part = report(fake_run(leaderboard_input()));
  const auto found = std::ranges::find(part.details.tables, "extrapolated", &TableView::slug);
  ASSERT_NE(found, part.details.tables.end());
  const double gemms = 0.5 * 4.8 * 989.5 / 2250, fused = 0.04 * 4.8 * 4800 / 8000;
  EXPECT_EQ(found->text(found->rows[0], 3), format_value(gemms, kThreeDigits));
  EXPECT_EQ(found->text(found->rows[2], 3), format_value(fused, kThreeDigits));
}

TEST(Leaderboard, IsComparedWithPublishedStepsOnlyAsAWholeOnTwoGpus) {
  const auto has_published = [](const labreport::Run& run) {
    const Part part = report(run);
    return std::ranges::any_of(
        part.figures, [](const Figure& figure) { return figure.slug == "published-steps"; });
  };
  EXPECT_TRUE(has_published(fake_run(leaderboard_input())));
  EXPECT_FALSE(has_published(fake_run(leaderboard_input(), out_of_memory_above(17))));
}

}  // namespace
}  // namespace labreport::leaderboard_test
