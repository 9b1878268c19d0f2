#include "base/outliers.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace labreport::outliers_test {
namespace {

TEST(Outliers, AreFoundIfThereAreTwo) {
  EXPECT_TRUE(has_outlier({20.8, 68.9, 0.80, 0.76, 0.81}));
  EXPECT_FALSE(has_outlier({1.00, 1.03, 0.98, 1.01, 1.04}));
}

TEST(TypicalTime, IsTheMeanOfStepsThatDidNotStall) {
  EXPECT_DOUBLE_EQ(typical_time({1.00, 1.03, 0.98, 1.01, 1.04}), 1.012);
  EXPECT_DOUBLE_EQ(typical_time({1.00, 1.03, 0.98, 1.01, 4.00}), 1.005);
  EXPECT_THROW(typical_time({}), Error);
}

}  // namespace
}  // namespace labreport::outliers_test
