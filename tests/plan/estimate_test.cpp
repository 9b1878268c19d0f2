#include "plan/estimate.h"

#include <gtest/gtest.h>

#include "plan/leaderboard.h"
#include "plan/sample_cell.h"
#include "results/leaderboard_rung.h"

namespace labreport::estimate_test {
namespace {

constexpr double kFlops = 4e13;

double seconds(const CellSpec& spec) { return estimated_seconds(spec, kFlops); }

TEST(EstimatedTime, GrowsWithTheSteps) {
  CellSpec longer = large_cell(Mode::kForward);
  longer.steps = 20;
  EXPECT_GT(seconds(longer), seconds(large_cell(Mode::kForward)));
}

TEST(EstimatedTime, IncludesThePythonStartOfAUsersModel) {
  CellSpec users_network = large_cell(Mode::kTrainStep);
  users_network.implementation = "TransformerLM-0a1b2c3d";
  const double python = seconds(users_network) - seconds(large_cell(Mode::kTrainStep));
  EXPECT_GT(python, 5) << "importing torch and the model takes seconds";
  EXPECT_LT(python, 10) << "the steps take as long as those of labreport's network of that shape";
}

TEST(EstimatedTime, IgnoresTokensOfALaunchBoundStep) {
  CellSpec small = large_cell(Mode::kTrainStep);
  small.context = 1;
  CellSpec longer_context = small;
  longer_context.context = 2;
  EXPECT_DOUBLE_EQ(seconds(small), seconds(longer_context)) << "fewer tokens make no launch faster";
}

TEST(EstimatedTime, CountsOneStepUntilOutOfMemory) {
  EXPECT_LT(4 * estimated_seconds_until_oom(large_cell(Mode::kTrainStep), kFlops),
            seconds(large_cell(Mode::kTrainStep)));
}

TEST(EstimatedTime, OfARungIsWithinAFifthOfAnH200s) {
  CellSpec spec = large_cell(Mode::kTrainStep);
  spec.kind = CellKind::kLeaderboard;
  spec.model = leaderboard::kShape;
  spec.context = leaderboard::kContext;
  spec.precision = Precision::kBf16;
  spec.ranks = Ranks{1, Collectives::kNccl};
  spec.batch = 1;
  spec.warmup = 2;
  spec.steps = 3;
  for (const auto& [rung, measured] : {std::pair{LeaderboardRung::kCheckpointed, 70.2},
                                       {LeaderboardRung::kFusedHead, 74.4},
                                       {LeaderboardRung::kCudnn, 61.3},
                                       {LeaderboardRung::kCompiled, 64.1},
                                       {LeaderboardRung::kSavedAttention, 58.3},
                                       {LeaderboardRung::kSavedProducts, 88.1}}) {
    spec.implementation = implementation_of(rung);
    EXPECT_NEAR(estimated_seconds(spec, 51.3e12) / measured, 1, 0.2) << spec.implementation;
  }
}

TEST(EstimatedDisk, GrowsWithThePassesOfAStep) {
  CellSpec traced = large_cell(Mode::kTrainStep);
  EXPECT_LT(estimated_disk_bytes(traced), 1e5) << "a timing leaves numbers alone";
  traced.kind = CellKind::kKernels;
  const double step = estimated_disk_bytes(traced);
  EXPECT_GT(step, 5e6);
  traced.mode = Mode::kInference;
  EXPECT_LT(estimated_disk_bytes(traced), step / 4);
}

}  // namespace
}  // namespace labreport::estimate_test
