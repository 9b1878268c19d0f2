// Compares the arithmetic of memory with sums by hand and with measured peaks.
#include "plan/memory.h"

#include <gtest/gtest.h>

#include "plan/editions.h"

namespace labreport::memory_test {
namespace {

constexpr double kGibibyte = 1 << 30;

CellSpec xl_cell(Mode mode, Precision precision = Precision::kFp32, std::int64_t context = 512) {
  CellSpec spec;
  spec.model = ModelShape{2560, 10240, 32, 32, kHandoutVocab};
  spec.batch = 4;
  spec.context = context;
  spec.precision = precision;
  spec.mode = mode;
  return spec;
}

double gibibytes(std::int64_t bytes) { return static_cast<double>(bytes) / kGibibyte; }

constexpr double kTokens = 4 * 512;            // of xl_cell()
constexpr double kPairs = kTokens * 512 * 32;  // The context and the number of heads are factors.
// Two norms save 1/rms. Attention saves the mask, and indices and sums of the softmax.
constexpr double kSmallTensorBytes = kTokens * 4 * 2 + 512 * 512 + kTokens * 32 * (8 + 4);

// A block saves 10 tensors of width d_model, 5 of width d_ff and 2 of the scores' shape.
TEST(Memory, CountsTheTensorsThatABlockSaves) {
  EXPECT_EQ(static_cast<double>(saved_block_bytes(xl_cell(Mode::kForward))),
            4 * (kTokens * (10 * 2560 + 5 * 10240) + 2 * kPairs) + kSmallTensorBytes);
}

// Under autocast, elements of these tensors have 4 or 2 bytes: together 34, 10 and 6.
TEST(Memory, CountsTheTensorsThatABlockSavesUnderAutocast) {
  EXPECT_EQ(static_cast<double>(saved_block_bytes(xl_cell(Mode::kForward, Precision::kBf16))),
            kTokens * (34 * 2560 + 10 * 10240) + 6 * kPairs + kSmallTensorBytes);
}

TEST(Memory, CountsAutocastsCopiesOfWeights) {
  EXPECT_EQ(weight_copy_bytes(xl_cell(Mode::kInference)), 0);
  EXPECT_NEAR(gibibytes(weight_copy_bytes(xl_cell(Mode::kInference, Precision::kBf16))), 6.3, 0.05);
}

TEST(Memory, CountsResidualStreamAndScores) {
  EXPECT_EQ(residual_bytes(xl_cell(Mode::kForward)), 20 << 20);
  EXPECT_EQ(residual_bytes(xl_cell(Mode::kForward, Precision::kBf16)), 20 << 20);
  EXPECT_EQ(score_bytes(xl_cell(Mode::kForward)), 128 << 20);
}

TEST(Memory, CountsTheGradientsOfABlock) {
  EXPECT_EQ(block_gradient_bytes(*xl_cell(Mode::kForward).model),
            4 * (4 * 2560 * 2560 + 3LL * 2560 * 10240 + 2 * 2560));
}

/// The highest requested bytes of a step on an H200, without cuBLAS's workspace. The workspace has
/// 32 MiB, and 64 MiB after a backward.
struct MeasuredPeak {
  CellSpec spec;
  double mebibytes;
};

CellSpec small_step(Precision precision) {
  CellSpec spec = xl_cell(Mode::kTrainStep, precision);
  spec.model = ModelShape{768, 3072, 12, 12, kHandoutVocab};
  return spec;
}

TEST(Memory, ExpectsTheMeasuredPeaks) {
  using enum Mode;
  using enum Precision;
  const MeasuredPeak peaks[]{{xl_cell(kInference, kFp32, 256), 13218.0 - 32},
                             {xl_cell(kInference, kFp32, 512), 13640.6 - 32},
                             {xl_cell(kInference, kBf16, 256), 19521.4 - 32},
                             {xl_cell(kInference, kBf16, 512), 19740.1 - 32},
                             {xl_cell(kForward, kFp32, 512), 40590.8 - 32},
                             {xl_cell(kForward, kBf16, 512), 37602.5 - 32},
                             {xl_cell(kForwardBackward, kFp32, 512), 41037.4 - 64},
                             {xl_cell(kTrainStep, kFp32, 128), 52467.4 - 64},
                             {xl_cell(kTrainStep, kFp32, 512), 67029.3 - 64},
                             {xl_cell(kTrainStep, kFp32, 1024), 112008.1 - 64},
                             {xl_cell(kTrainStep, kBf16, 256), 53220.9 - 64},
                             {xl_cell(kTrainStep, kBf16, 1024), 95931.5 - 64},
                             {small_step(kFp32), 5185.3 - 64},
                             {small_step(kBf16), 4296.9 - 64}};
  for (const auto& [spec, mebibytes] : peaks) {
    // Only inputs and the tables of the rotary embedding are left out.
    EXPECT_NEAR(1024 * gibibytes(expected_peak(spec).total()), mebibytes, 0.5) << cell_id(spec);
  }
}

TEST(Memory, NamesThePhaseOfThePeak) {
  EXPECT_EQ(expected_peak(xl_cell(Mode::kInference)).phase, "forward");
  EXPECT_EQ(expected_peak(small_step(Precision::kFp32)).phase, "loss");
  EXPECT_EQ(expected_peak(xl_cell(Mode::kTrainStep)).phase, "backward");
  const ExpectedPeak short_step = expected_peak(xl_cell(Mode::kTrainStep, Precision::kFp32, 128));
  EXPECT_EQ(short_step.phase, "optimizer");
  EXPECT_EQ(short_step.gradients, short_step.parameters);
  EXPECT_EQ(short_step.moments, 2 * short_step.parameters);
}

TEST(Memory, ExpectsNoPeakOfAModelInPython) {
  CellSpec users_network = xl_cell(Mode::kTrainStep);
  users_network.implementation = "TransformerLM-0a1b2c3d";
  EXPECT_EQ(expected_peak(users_network).total(), 0);
}

TEST(Memory, ExpectsNoPeakWithoutANetwork) {
  EXPECT_TRUE(possible_peaks(CellSpec{}).empty());
  EXPECT_EQ(expected_peak(CellSpec{}).total(), 0);
}

TEST(Memory, NamesTheTensorsOfASize) {
  EXPECT_EQ(size_formula(xl_cell(Mode::kForward), 128 << 20), "B · h · S² · 4");
  EXPECT_EQ(size_formula(xl_cell(Mode::kForward), 20 << 20), "B · S · d · 4");
  EXPECT_EQ(size_formula(xl_cell(Mode::kForward, Precision::kBf16), 40 << 20), "B · S · d_ff · 2");
  EXPECT_EQ(size_formula(xl_cell(Mode::kForward), 12345), "");
}

}  // namespace
}  // namespace labreport::memory_test
