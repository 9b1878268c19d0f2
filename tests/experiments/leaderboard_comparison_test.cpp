// Tests the comparison of two runs with the leaderboard's steps.
#include <gmock/gmock.h>

#include <algorithm>

#include "document/comparison/diff_document.h"
#include "document/keyed_number.h"
#include "experiments/sample_runs.h"
#include "results/leaderboard_rung.h"

namespace labreport::leaderboard_comparison_test {
namespace {

using namespace testing_samples;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns a run of two GPUs of that name with the leaderboard alone.
Run run_on_gpus(const std::string& name, const Change& change = unchanged) {
  Run run = fake_run(input_for("leaderboard", Preset::kFull, "2026"), change);
  for (Device& device : run.devices) device.name = name;
  return run;
}

Run h100(const Change& change = unchanged) { return run_on_gpus("NVIDIA H100", change); }
Run h200(const Change& change = unchanged) { return run_on_gpus("NVIDIA H200", change); }

std::string answer(const Run& a, const Run& b) {
  const Document document = diff_document(compare_runs(a, b), {"a", ""}, {"b", ""});
  return without_keys(document.sections.front().parts.front().answer);
}

Change slower_rungs(LeaderboardRung first, double factor) {
  return where([=](const CellSpec& spec) { return leaderboard_rung(spec) >= first; },
               scaled(metric::kStep, metric::kTotal, factor));
}

void without_classes(const CellSpec&, Launch& launch) {
  std::erase_if(launch.tables,
                [](const Table& table) { return table.name == metric::kStepClasses; });
}

TEST(LeaderboardComparison, HasEachRungOnBothSides) {
  const labreport::Run a = h100(slower_rungs(LeaderboardRung::kSavedProducts, 1.25));
  const Document document = diff_document(compare_runs(a, h200()), {"a", ""}, {"b", ""});
  EXPECT_TRUE(document.sections.front().parts.front().figures.empty());
  const Part& part = document.sections.at(1).parts.front();
  ASSERT_EQ(part.figures.size(), 1u);
  EXPECT_THAT(part.figures.front().spec.dump(), HasSubstr("\"attention kept\""));
  const TableView rungs = table_of(part, "rungs");
  ASSERT_EQ(rungs.rows.size(), kLeaderboardRungs.size() + 2);
  EXPECT_EQ(rungs.text(rungs.rows[2], 0), "checkpointed blocks");
  EXPECT_EQ(rungs.text(rungs.rows[7], 0), "GEMM outputs kept");
  EXPECT_EQ(rungs.text(rungs.rows[7], 3), "1.25");
  EXPECT_EQ(rungs.text(rungs.rows[7], 4), "120");
  EXPECT_EQ(rungs.text(rungs.rows[8], 0), "attention kept, do_bench") << "the H100's fastest";
  EXPECT_EQ(rungs.text(rungs.rows[9], 0), "GEMM outputs kept, do_bench");
}

TEST(LeaderboardComparison, TellsTheFastestRungOfEachSide) {
  const auto change = slower_rungs(LeaderboardRung::kSavedProducts, 1.25);
  EXPECT_THAT(answer(h100(change), h200()),
              HasSubstr("The H200 takes **4,813 ms** for its fastest step of the leaderboard's, "
                        "with GEMM outputs kept, the H100 5,294 ms, with attention kept: the H200 "
                        "is **1.10×** as fast."));
}

TEST(LeaderboardComparison, MatchesStepsThatDoBenchRepeatsMoreOften) {
  const labreport::Run slow = h100(slower_rungs(LeaderboardRung::kReplicated, 2));
  const Comparison comparison = compare_runs(slow, h200());
  EXPECT_EQ(comparison.cells_only_in_a + comparison.cells_only_in_b, 0u);
  EXPECT_NE(slow.cells.back().spec.repeats, h200().cells.back().spec.repeats);
}

TEST(LeaderboardComparison, ScalesAStepThatBothTracedAndTellsTheError) {
  const double step_ms = 5280, links = 0.01, idle = 0.02;
  const double predicted_ms = step_ms * (0.5 + 0.4 + links + idle + 0.07 * 3350 / 4800);
  EXPECT_NEAR(predicted_ms, 5168, 0.5);
  EXPECT_NEAR(100 * (1 - predicted_ms / step_ms), 2.1, 0.05);
  const double on_b200 = 4.8 * (0.9 * 989.5 / 2250 + 0.07 * 4800 / 8000 + links * 450 / 900 + idle);
  EXPECT_NEAR(on_b200, 2.22, 0.005);
  const char* words =
      "Scaled by each part's own limit from the H100, the step with attention kept takes "
      "**5,168 ms** on the H200. It takes 5,280 ms, so scaling errs by **2.1 %**. Extrapolated in "
      "the same way, the H200's fastest step takes **2.22 s** on two B200.";
  EXPECT_THAT(answer(h100(), h200()), HasSubstr(words));
  EXPECT_THAT(answer(h200(), h100()), HasSubstr(words)) << "whichever run comes first";
}

TEST(LeaderboardComparison, DoesNotScaleWithoutARunToCheckItWith) {
  const auto scales = HasSubstr("Scaled by");
  EXPECT_THAT(answer(h100(without_classes), h200()), Not(scales));
  EXPECT_THAT(answer(h100(), h200(without_classes)), Not(scales));
  EXPECT_THAT(answer(h200(), h200()), Not(scales)) << "one GPU";
  EXPECT_THAT(answer(run_on_gpus("Fake GPU"), h200()), Not(scales)) << "no data sheet";
  const Change only_last = where(
      [](const CellSpec& spec) { return leaderboard_rung(spec) < LeaderboardRung::kSavedProducts; },
      without_classes);
  EXPECT_THAT(answer(h100(only_last), h200()), Not(scales))
      << "GPUs with different memories keep different products";
}

}  // namespace
}  // namespace labreport::leaderboard_comparison_test
