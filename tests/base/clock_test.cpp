#include "base/clock.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace labreport::clock_test {
namespace {

TEST(UtcText, NamesMomentsOfYearsInWhichRunsMayBegin) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(7'258'118'399), "2199-12-31T23:59:59Z");
  EXPECT_EQ(utc_now().size(), 20u);
}

TEST(UtcText, RefusesYearsInWhichNoRunCanBeLoaded) {
  for (const std::int64_t seconds :
       {std::int64_t{-1}, std::int64_t{7'258'118'400}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_THROW(utc_text(seconds), InputError) << seconds;
  }
}

}  // namespace
}  // namespace labreport::clock_test
