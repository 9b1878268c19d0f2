#include "plan/part_work.h"

#include <gtest/gtest.h>

#include "plan/arithmetic.h"
#include "plan/editions.h"

namespace labreport::part_work_test {
namespace {

CellSpec step_of(const char* size, Precision precision = Precision::kFp32) {
  CellSpec spec;
  for (const Size& known : find_edition("2025").sizes) {
    if (known.name == size) spec.model = known.shape;
  }
  spec.context = 512;
  spec.batch = 4;
  spec.precision = precision;
  return spec;
}

double flops(NetworkPart part) { return part_work(part, step_of("2.7B")).flops; }

TEST(PartWork, OfProductsAndOutputLayerAddsUpToForwardFlops) {
  const CellSpec spec = step_of("2.7B");
  const double parts = flops(NetworkPart::kScores) + flops(NetworkPart::kValues) +
                       flops(NetworkPart::kProjections) + flops(NetworkPart::kFeedForward) +
                       flops(NetworkPart::kHead);
  EXPECT_DOUBLE_EQ(parts, forward_flops(*spec.model, 4, 512));
}

TEST(PartWork, HasFiveOperationsPerScoreInSoftmax) {
  const double scores = 12.0 * 4 * 12 * 512 * 512;  // Layers, batch, heads, context².
  const PartWork softmax = part_work(NetworkPart::kSoftmax, step_of("small"));
  EXPECT_DOUBLE_EQ(softmax.flops, 5 * scores);
  EXPECT_DOUBLE_EQ(softmax.bytes, 32 * scores);
  EXPECT_DOUBLE_EQ(part_work(NetworkPart::kScores, step_of("small")).flops,
                   2 * 64 * scores);  // 64: a head's width.
}

TEST(PartWork, HasHalfTheBytesInProductsUnderAutocast) {
  for (const auto part :
       {NetworkPart::kScores, NetworkPart::kProjections, NetworkPart::kFeedForward}) {
    EXPECT_DOUBLE_EQ(part_work(part, step_of("small")).bytes,
                     2 * part_work(part, step_of("small", Precision::kBf16)).bytes);
  }
}

TEST(PartWork, DependsOnlyOnParametersInTheOptimizer) {
  CellSpec spec = step_of("2.7B");
  const PartWork work = part_work(NetworkPart::kOptimizer, spec);
  EXPECT_DOUBLE_EQ(work.bytes, 132.0 * 3'406'809'600);
  spec.context = 128;
  EXPECT_DOUBLE_EQ(part_work(NetworkPart::kOptimizer, spec).bytes, work.bytes);
}

TEST(PartWork, IsZeroForAUsersModel) {
  CellSpec spec = step_of("small");
  spec.implementation = "Net-0a1b2c3d";
  EXPECT_EQ(part_work(NetworkPart::kScores, spec).flops, 0);
}

/// A step of 3 sequences of 4 tokens: 192 hidden elements of all layers, 384 scores, 1,480
/// parameters, of which 1,360 are in linear layers.
CellSpec small_step(Precision precision) {
  CellSpec spec;
  spec.model = ModelShape{.d_model = 8, .d_ff = 16, .layers = 2, .heads = 4, .vocab = 10};
  spec.context = 4;
  spec.batch = 3;
  spec.precision = precision;
  return spec;
}

struct ExpectedWork {
  NetworkPart part;
  double flops, bytes, bytes_in_bf16;
};

// Computed by hand from the table in plan/part_work.h.
constexpr ExpectedWork kSmallStep[]{{NetworkPart::kScores, 4608, 7680, 3840},
                                    {NetworkPart::kValues, 4608, 8448, 4224},
                                    {NetworkPart::kScaleMask, 768, 6144, 3072},
                                    {NetworkPart::kSoftmax, 3456, 7680, 3840},
                                    {NetworkPart::kProjections, 36864, 21504, 10752},
                                    {NetworkPart::kFeedForward, 55296, 26112, 13056},
                                    {NetworkPart::kHead, 5760, 3072, 1536},
                                    {NetworkPart::kRope, 2304, 6144, 3072},
                                    {NetworkPart::kSwiGlu, 4992, 12288, 6144},
                                    {NetworkPart::kNormalization, 6528, 14208, 11520},
                                    {NetworkPart::kCasts, 0, 0, 16320},
                                    {NetworkPart::kLoss, 960, 1440, 720},
                                    {NetworkPart::kEmbedding, 96, 1472, 1472},
                                    {NetworkPart::kOptimizer, 20720, 41440, 41440}};

TEST(NeededWork, ReadsInputsOnceAndWritesResultsOnceInBothPasses) {
  for (const auto& [part, flops, bytes, bytes_in_bf16] : kSmallStep) {
    SCOPED_TRACE(static_cast<int>(part));
    const PartWork work = needed_work(part, small_step(Precision::kFp32));
    EXPECT_DOUBLE_EQ(work.flops, flops);
    EXPECT_DOUBLE_EQ(work.bytes, bytes);
    EXPECT_DOUBLE_EQ(needed_work(part, small_step(Precision::kBf16)).bytes, bytes_in_bf16);
  }
}

TEST(NeededWork, HasTheFlopsOfAStepInItsProducts) {
  const CellSpec spec = step_of("2.7B");
  double products = 0;
  for (const auto part : {NetworkPart::kScores, NetworkPart::kValues, NetworkPart::kProjections,
                          NetworkPart::kFeedForward, NetworkPart::kHead})
    products += needed_work(part, spec).flops;
  EXPECT_DOUBLE_EQ(products, 3 * forward_flops(*spec.model, 4, 512));
}

}  // namespace
}  // namespace labreport::part_work_test
