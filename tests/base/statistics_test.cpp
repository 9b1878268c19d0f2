#include "base/statistics.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace labreport::statistics_test {
namespace {

const std::vector<double> kSamples{4, 1, 3, 2};

TEST(Statistics, MeanAndSampleDeviation) {
  EXPECT_DOUBLE_EQ(mean(kSamples), 2.5);
  EXPECT_NEAR(sample_stddev(kSamples), 1.2909944487358056, 1e-15);  // sqrt(5/3)
}

TEST(Statistics, OneSampleDoesNotDeviate) { EXPECT_EQ(sample_stddev(std::vector<double>{7}), 0); }

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile(kSamples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(kSamples, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(median(kSamples), 2.5);
  EXPECT_DOUBLE_EQ(quantile(kSamples, 1), 4);
}

TEST(Statistics, SummaryHoldsAll) {
  const Summary summary = summarize(kSamples);
  EXPECT_EQ(summary.count, 4U);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 4);
  EXPECT_NEAR(summary.coefficient_of_variation(), 1.2909944487358056 / 2.5, 1e-15);
}

TEST(Statistics, NoSamplesAreAnError) {
  EXPECT_THROW(summarize({}), Error);
  EXPECT_THROW(median({}), Error);
}

}  // namespace
}  // namespace labreport::statistics_test
