#include "plan/arithmetic.h"

#include <gtest/gtest.h>

#include "plan/sample_cell.h"

namespace labreport::arithmetic_test {
namespace {

constexpr std::int64_t kGibibyte = 1LL << 30;

TEST(Flops, CountLinearsAttentionAndOutput) {
  // One block of width 2 with d_ff 3 over one sequence of 5 tokens, vocabulary 7.
  const ModelShape shape{2, 3, 1, 1, 7};
  const double linears = 2.0 * 5 * (4 * 4 + 3 * 2 * 3);
  const double attention = 2 * 2.0 * 5 * 5 * 2;
  const double output = 2.0 * 5 * 2 * 7;
  EXPECT_DOUBLE_EQ(forward_flops(shape, 1, 5), linears + attention + output);
}

TEST(Flops, CountBackwardTwice) {
  EXPECT_DOUBLE_EQ(*step_flops(large_cell(Mode::kForwardBackward)),
                   3 * *step_flops(large_cell(Mode::kInference)));
  EXPECT_DOUBLE_EQ(*step_flops(large_cell(Mode::kForward)),
                   *step_flops(large_cell(Mode::kInference)));
}

TEST(ResidentBytes, DependOnTheMode) {
  const std::int64_t parameter_bytes = 4 * 3'406'809'600;  // of the network of large_cell()
  EXPECT_EQ(resident_bytes(large_cell(Mode::kInference)), parameter_bytes);
  EXPECT_EQ(resident_bytes(large_cell(Mode::kForwardBackward)), 2 * parameter_bytes);
  EXPECT_EQ(resident_bytes(large_cell(Mode::kTrainStep)), 4 * parameter_bytes);
}

TEST(Arithmetic, ReturnsNothingForAUsersNetwork) {
  CellSpec users_network = large_cell(Mode::kTrainStep);
  users_network.implementation = "TransformerLM-0a1b2c3d";
  for (const CellSpec& spec : {users_network, CellSpec{}}) {
    EXPECT_EQ(step_flops(spec), std::nullopt);
    EXPECT_EQ(known_parameter_count(spec), std::nullopt);
    EXPECT_EQ(resident_bytes(spec), std::nullopt);
    EXPECT_EQ(why_it_does_not_fit(spec, 1), std::nullopt);
  }
}

TEST(Fitting, NamesTheBytesThatDoNotFit) {
  EXPECT_EQ(why_it_does_not_fit(large_cell(Mode::kTrainStep), 24 * kGibibyte),
            "50.77 GiB of parameters, gradients and AdamW states do not fit 24.00 GiB");
  EXPECT_EQ(why_it_does_not_fit(large_cell(Mode::kInference), 24 * kGibibyte), std::nullopt);
}

}  // namespace
}  // namespace labreport::arithmetic_test
