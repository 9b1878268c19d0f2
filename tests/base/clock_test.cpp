#include "base/clock.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace labreport::clock_test {
namespace {

TEST(UtcText, NamesMomentsOfFourDigitYears) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(-62'167'219'200), "0000-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(253'402'300'799), "9999-12-31T23:59:59Z");
  EXPECT_EQ(utc_now().size(), 20u);
}

TEST(UtcText, RefusesYearsWithoutFourDigits) {
  for (const std::int64_t seconds :
       {std::int64_t{-62'167'219'201}, std::int64_t{253'402'300'800},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_THROW(utc_text(seconds), InputError) << seconds;
  }
}

}  // namespace
}  // namespace labreport::clock_test
