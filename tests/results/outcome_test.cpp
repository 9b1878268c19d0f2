#include "results/outcome.h"

#include <gtest/gtest.h>

namespace labreport::outcome_test {
namespace {

constexpr std::int64_t kGibibyte = 1LL << 30;

TEST(Outcome, IsDescribedWithBytes) {
  EXPECT_EQ(describe(OutOfMemory{"backward", 2 * kGibibyte, 138 * kGibibyte, std::nullopt}),
            "out of memory in backward: tried to allocate 2.00 GiB with 138.0 GiB allocated");
  EXPECT_EQ(describe(OutOfMemory{"model", std::nullopt, kGibibyte, std::nullopt}),
            "out of memory in model: 1.00 GiB allocated");
  EXPECT_EQ(describe(OutOfMemory{"forward", {}, {}, {}}), "out of memory in forward");
}

TEST(Outcome, IsDescribedBrieflyWithoutBytes) {
  const OutOfMemory oom{"backward", 2 * kGibibyte, 138 * kGibibyte, std::nullopt};
  EXPECT_EQ(describe_briefly(oom), "out of memory in backward");
  EXPECT_EQ(describe_briefly(with_rank(oom, 1)), "rank 1: out of memory in backward");
  EXPECT_EQ(describe_briefly(Skipped{"too large"}), "skipped: too large");
}

TEST(Outcome, IsDescribedInWords) {
  EXPECT_EQ(describe(Ok{}), "ok");
  EXPECT_EQ(describe(Skipped{"too large"}), "skipped: too large");
  EXPECT_EQ(describe(TimedOut{90}), "timed out after 1 min 30 s");
  EXPECT_EQ(describe(Crashed{11, ""}), "crashed: signal 11 (Segmentation fault)");
  EXPECT_EQ(describe(Failed{"no luck"}), "failed: no luck");
  EXPECT_EQ(describe(Failed{"no luck", 3}), "rank 3: failed: no luck");
  EXPECT_EQ(describe(with_rank(TimedOut{90}, 0)), "rank 0: timed out after 1 min 30 s");
  EXPECT_EQ(describe(with_rank(Skipped{"too large"}, 0)), "skipped: too large");
}

TEST(Outcome, IsNoFailureIfItDoesNotFit) {
  EXPECT_FALSE(is_failure(Ok{}));
  EXPECT_FALSE(is_failure(OutOfMemory{}));
  EXPECT_FALSE(is_failure(Skipped{}));
  EXPECT_TRUE(is_failure(TimedOut{}));
  EXPECT_TRUE(is_failure(Crashed{}));
  EXPECT_TRUE(is_failure(Failed{}));
}

}  // namespace
}  // namespace labreport::outcome_test
