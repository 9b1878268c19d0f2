#include "plan/gradients.h"

#include <gmock/gmock.h>

#include <numeric>

#include "plan/editions.h"

namespace labreport::gradients_test {
namespace {

using testing::ElementsAre;

ModelShape xl(const char* edition) {
  for (const Size& size : find_edition(edition).sizes) {
    if (size.name == "xl") return size.shape;
  }
  return {};
}

std::size_t bucket_count(const char* edition, std::int64_t cap_bytes) {
  return fill_buckets(gradient_bytes(xl(edition)), cap_bytes).size();
}

std::int64_t all_reduce_count_of(Scheme scheme, const char* edition, std::int64_t cap_bytes = 0) {
  CellSpec spec;
  spec.model = xl(edition);
  spec.scheme = scheme;
  spec.bucket_bytes = cap_bytes;
  return all_reduce_count(spec);
}

TEST(GradientBytes, CoverEveryParameter) {
  for (const Edition& edition : editions()) {
    for (const Size& size : edition.sizes) {
      const auto bytes = gradient_bytes(size.shape);
      EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}),
                4 * parameter_count(size.shape));
    }
  }
  // Each block has 9 parameters. The others are embedding, final norm and output layer.
  EXPECT_EQ(gradient_bytes(xl("2025")).size(), 48u * 9 + 3);
  EXPECT_EQ(gradient_bytes(xl("2026")).size(), 32u * 9 + 3);
}

TEST(Buckets, AreFilledFromTheLastParameterUpToTheCap) {
  EXPECT_THAT(fill_buckets({30, 10, 20, 5}, 30),
              ElementsAre(ElementsAre(3, 2), ElementsAre(1), ElementsAre(0)));
  EXPECT_THAT(fill_buckets({30, 10, 20, 5}, 1),
              ElementsAre(ElementsAre(3), ElementsAre(2), ElementsAre(1), ElementsAre(0)))
      << "what is larger than the cap goes alone";
  EXPECT_THAT(fill_buckets({30, 10, 20, 5}, 65), ElementsAre(ElementsAre(3, 2, 1, 0)));
}

// The expected counts were worked out by hand from the course handout's sizes.
TEST(Buckets, AreCountedAtTheHandoutsCaps) {
  EXPECT_EQ(bucket_count("2025", 1'000'000), 435u);
  EXPECT_EQ(bucket_count("2025", 10'000'000), 435u) << "a matrix of attention has 10.24 MB";
  EXPECT_EQ(bucket_count("2025", 100'000'000), 98u);
  EXPECT_EQ(bucket_count("2025", 1'000'000'000), 9u);
  EXPECT_EQ(bucket_count("2025", 1 << 20), 435u);
  EXPECT_EQ(bucket_count("2025", 10 << 20), 339u);
  EXPECT_EQ(bucket_count("2025", 100 << 20), 98u);
  EXPECT_EQ(bucket_count("2025", 1000LL << 20), 8u);
  EXPECT_EQ(bucket_count("2026", 1'000'000), 291u);
  EXPECT_EQ(bucket_count("2026", 10'000'000), 291u);
  EXPECT_EQ(bucket_count("2026", 100'000'000), 163u);
  EXPECT_EQ(bucket_count("2026", 1'000'000'000), 14u);
}

TEST(AllReduceCount, AreCountedForEachScheme) {
  EXPECT_EQ(all_reduce_count_of(Scheme::kNone, "2025"), 0);
  EXPECT_EQ(all_reduce_count_of(Scheme::kPerParameter, "2025"), 435);
  EXPECT_EQ(all_reduce_count_of(Scheme::kOverlapped, "2026"), 291);
  EXPECT_EQ(all_reduce_count_of(Scheme::kFlat, "2025"), 1);
  EXPECT_EQ(all_reduce_count_of(Scheme::kBucketed, "2025", 100'000'000), 98);
  EXPECT_EQ(bucket_count("2025", 25 << 20), 243u);
  EXPECT_EQ(bucket_count("2026", 25 << 20), 291u);
  // PyTorch closes a bucket only when its cap is reached, so its buckets are larger and fewer.
  EXPECT_EQ(all_reduce_count_of(Scheme::kReducer, "2025", 25 << 20), 194);
  EXPECT_EQ(all_reduce_count_of(Scheme::kReducer, "2026", 25 << 20), 226);
}

TEST(BucketFormula, HasItsMinimumAtTheOptimalBytes) {
  const BucketFormula formula{20e-6, 200e9, 7.99e9};
  EXPECT_NEAR(formula.optimal_bucket_bytes(), 178.8e6, 0.1e6);
  const double best_count = formula.total_bytes / formula.optimal_bucket_bytes();
  EXPECT_NEAR(formula.exposed_seconds(best_count), 1.79e-3, 0.01e-3);
  for (const double factor : {0.5, 2.0}) {
    EXPECT_GT(formula.exposed_seconds(factor * best_count), formula.exposed_seconds(best_count));
  }
}

}  // namespace
}  // namespace labreport::gradients_test
