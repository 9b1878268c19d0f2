// The arithmetic of memory, against sums by hand and peaks known from the handout's write-ups.
#include "plan/memory.h"

#include <gtest/gtest.h>

#include "plan/editions.h"

namespace labreport {
namespace {

constexpr double kGibibyte = 1 << 30;

CellSpec cell(Mode mode, Precision precision = Precision::kFp32, std::int64_t context = 512) {
  CellSpec spec;
  spec.model = ModelShape{2560, 10240, 32, 32, kHandoutVocab};
  spec.batch = 4;
  spec.context = context;
  spec.precision = precision;
  spec.mode = mode;
  return spec;
}

double gibibytes(std::int64_t bytes) { return static_cast<double>(bytes) / kGibibyte; }

TEST(Memory, ABlockKeepsTenTensorsOfItsWidthFiveOfTheInnerAndTwoOfPairs) {
  const double tokens = 4.0 * 512;
  const double pairs = tokens * 512 * 32;
  const double rest = tokens * 4 * 2 + 512 * 512 + tokens * 32 * (8 + 4);
  EXPECT_EQ(static_cast<double>(kept_block_bytes(cell(Mode::kForward))),
            4 * (tokens * (10 * 2560 + 5 * 10240) + 2 * pairs) + rest);
}

TEST(Memory, UnderAutocastPartOfItStaysInFp32) {
  const double tokens = 4.0 * 512;
  const double pairs = tokens * 512 * 32;
  const double rest = tokens * 4 * 2 + 512 * 512 + tokens * 32 * (8 + 4);
  EXPECT_EQ(static_cast<double>(kept_block_bytes(cell(Mode::kForward, Precision::kBf16))),
            tokens * (34 * 2560 + 10 * 10240) + 6 * pairs + rest);
}

TEST(Memory, InferenceKeepsNothing) { EXPECT_EQ(kept_bytes(cell(Mode::kInference)), 0); }

TEST(Memory, AutocastCopiesTheWeightsOfLinearLayers) {
  EXPECT_EQ(weight_copy_bytes(cell(Mode::kInference)), 0);
  EXPECT_NEAR(gibibytes(weight_copy_bytes(cell(Mode::kInference, Precision::kBf16))), 6.3, 0.05);
}

TEST(Memory, ParametersOf2point7BTake12point69GiB) {
  EXPECT_NEAR(gibibytes(parameter_bytes(*cell(Mode::kForward).model)), 12.69, 0.005);
}

TEST(Memory, TheResidualStreamAndTheScoresAtTheReference) {
  EXPECT_EQ(residual_bytes(cell(Mode::kForward)), 20 << 20);
  EXPECT_EQ(residual_bytes(cell(Mode::kForward, Precision::kBf16)), 20 << 20);
  EXPECT_EQ(score_bytes(cell(Mode::kForward)), 128 << 20);
}

TEST(Memory, OneBlocksGradients) {
  EXPECT_EQ(block_gradient_bytes(*cell(Mode::kForward).model),
            4 * (4 * 2560 * 2560 + 3LL * 2560 * 10240 + 2 * 2560));
}

TEST(Memory, ExpectedPeaksAreNearKnownOnes) {
  // Rounded up by the allocator, and with temporaries, a forward with grad takes 39.75 GiB, one
  // inside training 65.1; without activations a step holds four times the parameters.
  EXPECT_NEAR(gibibytes(expected_peak(cell(Mode::kForward)).total()), 39.75, 0.3);
  EXPECT_NEAR(gibibytes(expected_peak(cell(Mode::kTrainStep)).total()), 65.1, 0.3);
  const ExpectedPeak short_step = expected_peak(cell(Mode::kTrainStep, Precision::kFp32, 128));
  EXPECT_EQ(short_step.activations, 0);
  EXPECT_EQ(short_step.total(), 4 * parameter_bytes(*cell(Mode::kForward).model));
}

TEST(Memory, NamesTheTensorsOfASize) {
  EXPECT_EQ(size_formula(cell(Mode::kForward), 128 << 20), "B · h · S² · 4");
  EXPECT_EQ(size_formula(cell(Mode::kForward), 20 << 20), "B · S · d · 4");
  EXPECT_EQ(size_formula(cell(Mode::kForward, Precision::kBf16), 40 << 20), "B · S · d_ff · 2");
  EXPECT_EQ(size_formula(cell(Mode::kForward), 12345), "");
}

}  // namespace
}  // namespace labreport
