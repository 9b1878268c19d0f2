#include "results/metric.h"

#include <gtest/gtest.h>

namespace labreport::metric_test {
namespace {

TEST(Metric, HasAReasonOnlyIfAbsent) {
  const Metric present =
      integer_metric("memory", "limit", "B", std::optional<std::int64_t>(7), "cut");
  EXPECT_EQ(present.number(), 7);
  EXPECT_EQ(present.reason, "");
  const Metric absent = integer_metric("memory", "limit", "B", std::nullopt, "not counted");
  EXPECT_EQ(absent.number(), std::nullopt);
  EXPECT_EQ(absent.reason, "not counted");
}

}  // namespace
}  // namespace labreport::metric_test
