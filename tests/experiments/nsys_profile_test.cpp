// Sums, shares and counts behind the profiling problem's answers.
#include <gtest/gtest.h>

#include "base/text.h"
#include "experiments/nsys_profile/attention_work.h"
#include "experiments/nsys_profile/kernel_name.h"
#include "experiments/nsys_profile/kernel_sums.h"
#include "experiments/sample_runs.h"

namespace labreport::nsys_profile {
namespace {

using testing_samples::measured;
using testing_samples::plan_input;

Run small_at_128() {
  PlanInput input = plan_input(Preset::kFull);
  input.selection.only = {"nsys_profile"};
  input.selection.sizes = {input.edition.sizes[0]};
  input.selection.contexts = {128};
  return measured(input);
}

KernelRow row(const char* kernel, double instances, double total, double median, double stddev) {
  KernelRow row;
  row.kernel = kernel;
  row.instances = instances;
  row.total = total;
  row.min = median / 2;
  row.median = median;
  row.max = median * 2;
  row.stddev = stddev;
  return row;
}

TEST(ProfileRows, PassesHoldEachOther) {
  const auto run = small_at_128();
  const auto profiles = profiles_of(RunView(run, find_edition("2025")));
  ASSERT_EQ(profiles.size(), 1u);
  const double forward = total(rows_of(profiles[0], Pass::kForward));
  const double both = total(rows_of(profiles[0], Pass::kForwardBackward));
  EXPECT_GT(forward, 0);
  EXPECT_GT(both, 2 * forward);
  EXPECT_GT(total(rows_of(profiles[0], Pass::kTrainStep)), both);
}

TEST(ProfileRows, AForwardPassMultipliesSevenTimesALayerAndOnceMore) {
  const auto run = small_at_128();
  const auto profiles = profiles_of(RunView(run, find_edition("2025")));
  const Rows linear = matching(rows_of(profiles[0], Pass::kForward), [](const KernelRow& row) {
    return row.operation == "Linear" && row.kind == "gemm";
  });
  EXPECT_EQ(instances(linear), 7 * 12 + 1);
}

TEST(KernelSums, AddUpWhatHasOneNameTheLongestFirst) {
  const KernelRow a = row("mul", 2, 4, 2, 0);
  const KernelRow b = row("gemm", 1, 10, 10, 0);
  const KernelRow c = row("mul", 2, 8, 4, 0);
  const auto sums = by_kernel({&a, &b, &c});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].name, "mul");
  EXPECT_EQ(sums[0].instances, 4);
  EXPECT_DOUBLE_EQ(sums[0].total, 12);
  EXPECT_DOUBLE_EQ(sums[0].min, 1);
  EXPECT_DOUBLE_EQ(sums[0].max, 8);
  // The sample 2, 2, 4, 4.
  EXPECT_NEAR(sums[0].stddev, 1.1547, 1e-4);
}

TEST(KernelSums, TheTableEndsWithWhatItLeavesOut) {
  const KernelRow a = row("a", 1, 3, 3, 0);
  const KernelRow b = row("b", 1, 1, 1, 0);
  const TableView table = nsight_table("kernels", "Kernels", {&a, &b}, 1);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells[0].text, "75.0");
  EXPECT_EQ(table.rows[1].cells.back().text, "1 other kernel");
}

/// Of the Ada family, as profiles in public benchmark notes print it.
constexpr const char* kAda =
    "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x64_stage4_warpsize2x2x1_"
    "tensor16x8x32_execute_kernel__5x_cublas";

TEST(KernelName, IsTheFunctionsOwn) {
  EXPECT_EQ(short_kernel_name("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8"),
            "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8");
  EXPECT_EQ(short_kernel_name(
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"),
            "cutlass_80_simt_sgemm_128x64_8x5_nn_align1");
  EXPECT_EQ(short_kernel_name(kAda), kAda);
  EXPECT_EQ(short_kernel_name("Memset (Device)"), "Memset (Device)");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>"
                              "(int*)"),
            "CatArrayBatchedCopy");
}

TEST(KernelName, SaysWhatAnElementwiseKernelComputes) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#1}, int>(int)"),
            "vectorized_elementwise_kernel (exp)");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "BinaryFunctor<float, float, float, at::native::binary_internal::"
                              "MulFunctor<float> >, std::array<char*, 3ul> >(int)"),
            "vectorized_elementwise_kernel (Mul)");
}

TEST(KernelName, IsReadOnceHoweverLongItIs) {
  const std::string letters(100'000, 'w');
  EXPECT_LT(short_kernel_name(letters).size(), 200u);
  EXPECT_LT(short_kernel_name("f<" + letters + "_kernel_cuda>").size(), 400u);
  std::string wrapped = "gemm";
  for (int i = 0; i < 20'000; ++i) wrapped = "Kernel<" + wrapped;
  EXPECT_EQ(short_kernel_name(wrapped), "gemm");
  for (const char* part : {"w_", "sm8", "_xmma", "(anonymous", "<", "::", "Binary,"}) {
    std::string name;
    while (name.size() < letters.size()) name += part;
    EXPECT_LT(short_kernel_name(name).size(), 400u) << part;
    named_like_gemm(name);
  }
}

TEST(KernelName, IsCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 100; ++i) name += "→";
  for (const char* before : {"", "a", "ab"}) EXPECT_TRUE(is_utf8(short_kernel_name(before + name)));
}

TEST(KernelName, ASearchByNameKnowsSomeFamilies) {
  EXPECT_TRUE(named_like_gemm("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN"));
  EXPECT_TRUE(named_like_gemm("ampere_sgemm_128x64_tn"));
  EXPECT_TRUE(named_like_gemm("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn"));
  EXPECT_TRUE(named_like_gemm("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16>"));
  EXPECT_TRUE(named_like_gemm(kAda));
  EXPECT_TRUE(named_like_gemm("void cublasLt::splitKreduce_kernel<32, 16, int, float>"));
  EXPECT_FALSE(named_like_gemm("void gemv2T_kernel_val<int, int, float>"));
}

TEST(AttentionWork, KnowsAStageByItsRangeAndOperation) {
  const std::string scores = "layers/attn/scaled dot product attention/computing attention scores";
  EXPECT_EQ(stage_of(scores, "MaskedScores", true), kScores);
  EXPECT_EQ(stage_of(scores, "MaskedScores", false), kScaleMask);
  EXPECT_EQ(stage_of("layers/attn/q_proj", "Linear", true), kProjections);
  EXPECT_EQ(stage_of("layers/attn/rotary", "Rotary", false), kRotary);
  EXPECT_EQ(stage_of("layers/ffn/w1", "Linear", true), "");
}

}  // namespace
}  // namespace labreport::nsys_profile
