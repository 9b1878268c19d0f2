#include "base/format.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace labreport::format_test {
namespace {

TEST(Format, DeviationHasTwoDigitsAndTheValueItsDecimals) {
  EXPECT_EQ(format_with_deviation(16.7093, 0.2871).joined(), "16.71 ± 0.29");
  EXPECT_EQ(format_with_deviation(1234.5, 12.34).joined(), "1,234 ± 12");
  EXPECT_EQ(format_with_deviation(5.4321, 0.0999).joined(), "5.43 ± 0.10");
  EXPECT_EQ(format_with_deviation(812.4, 433.7).joined(), "812 ± 434");
}

TEST(Format, ValuesHaveFiveDigitsAtMostAndDeviationsOneAtLeast) {
  EXPECT_EQ(format_with_deviation(116.7093, 0.2871).joined(), "116.7 ± 0.3");
  EXPECT_EQ(format_with_deviation(1018.87, 0.36).joined(), "1,018.9 ± 0.4");
  EXPECT_EQ(format_with_deviation(119.33, 0.08).joined(), "119.33 ± 0.08");
  EXPECT_EQ(format_with_deviation(1280.79, 0.08).joined(), "1,280.8 ± 0.1");
  EXPECT_EQ(format_with_deviation(1133.47, 0.02).joined(), "1,133.5 ± 0.1")
      << "rounded up, not away";
  EXPECT_EQ(format_short(51.494, 2), "51.49");
  EXPECT_EQ(format_short(109.51, 2), "109.5");
  EXPECT_EQ(format_short(12345.6, 1), "12,346") << "no digit before the point is left out";
  EXPECT_EQ(format_short(0, 2), "0.00");
}

TEST(Format, DecimalsAreBounded) {
  EXPECT_EQ(format_with_deviation(1.0, 0.00001, 3).joined(), "1.000 ± 0.000");
  EXPECT_EQ(format_with_deviation(0.0233, 0.00012).joined(), "0.02330 ± 0.00012");
  EXPECT_EQ(format_with_deviation(2, 0, 3).joined(), "2.000 ± 0.000");
}

TEST(Format, InfinityAndNanHaveNoDigits) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(format_with_deviation(12.5, infinite, 3).joined(), "12.50");
  for (const double number : {infinite, -infinite, std::nan("")}) {
    for (const std::string& text :
         {format_fixed(number, 2), format_short(number, 2), format_significant(number),
          format_with_deviation(number, 1).joined(), format_ratio(number), format_factor(number),
          format_percent(number), format_rough_percent(number), format_bytes(number),
          format_bytes_briefly(number), format_duration(number), format_scientific(number, 2)}) {
      EXPECT_EQ(text, "–");
    }
  }
}

TEST(Format, BytesInASentenceHaveThreeDigits) {
  EXPECT_EQ(format_bytes_briefly(12.69 * (1LL << 30)), "12.7 GiB");
  EXPECT_EQ(format_bytes_briefly(109.4 * (1LL << 30)), "109 GiB");
  EXPECT_EQ(format_bytes_briefly(400.0 * (1 << 20)), "400 MiB");
  EXPECT_EQ(format_bytes_briefly(20.0 * (1 << 20)), "20 MiB");
  EXPECT_EQ(format_bytes_briefly(98'304), "96 KiB");
  EXPECT_EQ(format_bytes_briefly(12), "12 B");
}

TEST(Format, SignificantDigitsNeverUseAnExponent) {
  EXPECT_EQ(format_significant(0.0123456), "0.01235");
  EXPECT_EQ(format_significant(12.3456), "12.35");
  EXPECT_EQ(format_significant(123456), "123,500");
  EXPECT_EQ(format_significant(9.9999), "10.00");
  EXPECT_EQ(format_significant(-12.3456), "−12.35");
  EXPECT_EQ(format_significant(0), "0");
}

TEST(Format, CountsHaveThousandsSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(128625408), "128,625,408");
  EXPECT_EQ(format_count(-1234), "−1,234");
}

TEST(Format, BytesAreBinary) {
  EXPECT_EQ(format_bytes(12), "12 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(20 * kBytesPerMebibyte), "20.0 MiB");
  EXPECT_EQ(format_bytes(13627238400.0), "12.69 GiB");
  EXPECT_EQ(format_bytes(146011695104.0), "136.0 GiB") << "four digits";
  EXPECT_EQ(format_bytes(1023.4 * kBytesPerMebibyte), "1,023 MiB");
}

TEST(Format, RatiosHaveTwoDecimalsAndPercentsOne) {
  EXPECT_EQ(format_ratio(2.0051), "2.01");
  EXPECT_EQ(format_percent(0.468), "46.8");
  EXPECT_EQ(format_percent(1.25), "125.0");
}

TEST(Format, RoughSharesAndFactorsHaveTwoDigits) {
  EXPECT_EQ(format_rough_percent(0.0023), "0.2");
  EXPECT_EQ(format_rough_percent(0.0474), "4.7");
  EXPECT_EQ(format_rough_percent(0.0997), "10");
  EXPECT_EQ(format_rough_percent(-0.679), "−68");
  EXPECT_EQ(format_factor(2.686), "2.7");
  EXPECT_EQ(format_factor(14.9), "15");
  EXPECT_EQ(format_factor(137.6), "140");
}

TEST(Format, MinusIsNoHyphen) {
  EXPECT_EQ(format_fixed(-0.62, 1), "−0.6");
  EXPECT_EQ(format_fixed(-0.04, 1), "0.0");
  EXPECT_EQ(format_with_deviation(-902.5, 1.2).joined(), "−902.5 ± 1.2");
  EXPECT_EQ(format_bytes(-1536), "−1.5 KiB");
}

TEST(Format, SmallNumbersShowTheirPowerOfTen) {
  EXPECT_EQ(format_scientific(1.2e-7, 2), "1.2\u00a0×\u00a010⁻⁷");
  EXPECT_EQ(format_scientific(-2.2352e-10, 3), "−2.24\u00a0×\u00a010⁻¹⁰");
  EXPECT_EQ(format_scientific(0, 2), "0");
  EXPECT_EQ(format_scientific(9.96e-6, 2), "1.0\u00a0×\u00a010⁻⁵");
}

TEST(Format, DurationsHaveAtMostTwoUnits) {
  EXPECT_EQ(format_duration(0.35), "350 ms");
  EXPECT_EQ(format_duration(12.4), "12 s");
  EXPECT_EQ(format_duration(240), "4 min");
  EXPECT_EQ(format_duration(245), "4 min 5 s");
  EXPECT_EQ(format_duration(7800), "2 h 10 min");
}

TEST(Format, PluralsFollowTheCount) {
  EXPECT_EQ(format_plural(1, "size"), "1 size");
  EXPECT_EQ(format_plural(0, "size"), "0 sizes");
  EXPECT_EQ(format_plural(2, "process", "processes"), "2 processes");
}

TEST(Format, ZeroAfterRoundingHasNoSign) {
  EXPECT_EQ(format_percent(-0.0004), "0.0");
  EXPECT_EQ(format_percent(-0.004), "−0.4");
}

TEST(Format, ExponentsAreSuperscripts) {
  EXPECT_EQ(superscript(7), "⁷");
  EXPECT_EQ(superscript(-24), "⁻²⁴");
}

}  // namespace
}  // namespace labreport::format_test
