#include "base/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace labreport::distributions_test {
namespace {

TEST(Distributions, QuantilesMatchPrintedTables) {
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 10), 1.812, 5e-4);
  EXPECT_NEAR(normal_quantile(0.9), 1.2816, 5e-5);
}

TEST(Distributions, TailsMatchQuantiles) {
  EXPECT_NEAR(student_two_sided_p(student_quantile(0.975, 3.7), 3.7), 0.05, 1e-12);
  EXPECT_NEAR(student_two_sided_p(-1, 1), 0.5, 1e-12) << "Cauchy's quartile";
  EXPECT_EQ(student_two_sided_p(0, 5), 1);
  EXPECT_EQ(student_two_sided_p(std::numeric_limits<double>::infinity(), 5), 0);
}

// According to J. Cohen's tables, a test at the 5 % level needs 34 samples a group to detect a
// difference of 0.8 standard deviations with 90 % power. So λ is nearly 0.8 √(34 / 2).
TEST(Distributions, NoncentralityIsThatOfPowerTables) {
  EXPECT_NEAR(noncentrality_for_power(student_quantile(0.975, 66), 66, 0.9), 3.289, 0.01);
}

TEST(Distributions, NoncentralityOfManyDegreesIsThatOfTheNormal) {
  const double t = normal_quantile(0.975);
  EXPECT_NEAR(noncentrality_for_power(t, 1e6, 0.9), t + normal_quantile(0.9), 1e-3);
}

TEST(Distributions, NoncentralityIsFiniteForFewDegreesAndTinyLevels) {
  const double t = student_quantile(1 - 5e-5, 2);
  EXPECT_GT(noncentrality_for_power(t, 2, 0.9), t);
  EXPECT_LT(noncentrality_for_power(t, 2, 0.9), 3 * t);
}

}  // namespace
}  // namespace labreport::distributions_test
