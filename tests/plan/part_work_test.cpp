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

}  // namespace
}  // namespace labreport::part_work_test
