#include "results/metric.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

TEST(Metric, IsAbsentForItsReasonOrThereWithoutOne) {
  const Metric there =
      integer_metric("memory", "limit", "B", std::optional<std::int64_t>(7), "cut");
  EXPECT_EQ(there.number(), 7);
  EXPECT_EQ(there.reason, "");
  const Metric absent = integer_metric("memory", "limit", "B", std::nullopt, "not counted");
  EXPECT_EQ(absent.number(), std::nullopt);
  EXPECT_EQ(absent.reason, "not counted");
}

TEST(Metric, AppendedMetricsStandBehindTheFirst) {
  std::vector<Metric> metrics{integer_metric("step", "a", "ns", 1)};
  append(metrics, {integer_metric("step", "b", "ns", 2), integer_metric("step", "c", "ns", 3)});
  ASSERT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics[2].name, "c");
}

}  // namespace
}  // namespace labreport
