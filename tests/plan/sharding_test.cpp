// Tests the arithmetic of what ranks own, hold and send.
#include "plan/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "plan/editions.h"

namespace labreport::sharding_test {
namespace {

using testing::ElementsAre;

const double kGibibyte = std::pow(2, 30);

CellSpec xl(const char* edition, Sharding sharding) {
  CellSpec spec;
  spec.kind = CellKind::kSharding;
  for (const Size& size : find_edition(edition).sizes) {
    if (size.name == "xl") spec.model = size.shape;
  }
  spec.context = 512;
  spec.batch = 2;
  spec.precision = Precision::kFp32;
  spec.mode = Mode::kTrainStep;
  spec.ranks = Ranks{2, Collectives::kNccl};
  spec.sharding = sharding;
  return spec;
}

double gibibytes(const CellSpec& spec) {
  return static_cast<double>(held_bytes(spec).total()) / kGibibyte;
}

TEST(Owners, TakeTheLargestParametersFirst) {
  EXPECT_THAT(owner_ranks({1, 10, 4, 5}, 2), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(owner_ranks({3, 3, 3}, 1), ElementsAre(0, 0, 0));
  EXPECT_THAT(owner_ranks({7}, 4), ElementsAre(0));
}

TEST(LargestShare, IsAboutOneHalfForTwoRanks) {
  for (const char* edition : {"2025", "2026"}) {
    const double share = largest_owned_fraction(*xl(edition, Sharding::kNone).model, 2);
    EXPECT_GE(share, 0.5);
    EXPECT_LT(share, 0.503);
  }
  const ModelShape lopsided{.d_model = 16, .d_ff = 16, .layers = 1, .heads = 1, .vocab = 10};
  EXPECT_GT(largest_owned_fraction(lopsided, 8), 1. / 8) << "whole parameters are units";
}

/// Counts parameters, gradients and two moments of the course handout's size xl.
TEST(HeldBytes, ShrinkWithSharding) {
  EXPECT_NEAR(static_cast<double>(held_bytes(xl("2025", Sharding::kNone)).parameters) / kGibibyte,
              7.44, 0.01);
  EXPECT_NEAR(gibibytes(xl("2025", Sharding::kNone)), 29.8, 0.05);
  EXPECT_NEAR(gibibytes(xl("2025", Sharding::kOptimizer)), 22.3, 0.05);
  EXPECT_NEAR(gibibytes(xl("2026", Sharding::kNone)), 50.8, 0.05);
  EXPECT_NEAR(gibibytes(xl("2026", Sharding::kOptimizer)), 38.1, 0.05);
  EXPECT_NEAR(gibibytes(xl("2026", Sharding::kWeights)), 25.38, 0.01);
}

TEST(HeldBytes, ShrinkMoreWithShardedWeightsThanOptimizer) {
  const double saved =
      gibibytes(xl("2026", Sharding::kOptimizer)) - gibibytes(xl("2026", Sharding::kWeights));
  EXPECT_NEAR(saved, 12.69, 0.03);
}

TEST(SentBytes, AreMultiplesOfTheParameterBytes) {
  const CellSpec spec = xl("2025", Sharding::kOptimizer);
  const double psi = 4 * static_cast<double>(parameter_count(*spec.model));
  EXPECT_DOUBLE_EQ(sent_bytes_per_step(spec), 3 * psi / 2) << "(N − 1)/N of 3 Ψ";
  EXPECT_DOUBLE_EQ(zero1_sent_bytes_per_step(spec), 2 * psi / 2);
  EXPECT_DOUBLE_EQ(sent_bytes_per_step(xl("2025", Sharding::kNone)), 2 * psi / 2);
  CellSpec fsdp = xl("2025", Sharding::kWeights);
  EXPECT_DOUBLE_EQ(sent_bytes_per_step(fsdp), 3 * psi / 2);
  fsdp.precision = Precision::kBf16;
  EXPECT_DOUBLE_EQ(sent_bytes_per_step(fsdp), 3 * psi / 4);
}

TEST(SingleProcess, KeepsTheBatchOfARank) {
  const CellSpec single = as_single_process(xl("2026", Sharding::kWeights));
  EXPECT_EQ(single.batch, 2);
  EXPECT_FALSE(single.ranks);
}

}  // namespace
}  // namespace labreport::sharding_test
