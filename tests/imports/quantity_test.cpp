#include "imports/quantity.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

using Kind = Quantity::Kind;

TEST(ParseQuantity, ReadsNumbersWithTheirUnitsAndDeviations) {
  const Quantity quantity = parse_quantity("**12.5 ± 0.25 ms**");
  EXPECT_EQ(quantity.kind, Kind::kNumber);
  EXPECT_DOUBLE_EQ(quantity.value, 12.5);
  EXPECT_DOUBLE_EQ(quantity.deviation.value(), 0.25);
  EXPECT_EQ(quantity.unit, Unit::kMilliseconds);
  EXPECT_DOUBLE_EQ(parse_quantity("$1.5 \\pm 0.5$").deviation.value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("1.2e-3 s").value, 1.2e-3);
  EXPECT_EQ(parse_quantity("7 µs").unit, Unit::kMicroseconds);
}

TEST(ParseQuantity, ReadsThousandsWhereTheyAreBeyondDoubt) {
  EXPECT_DOUBLE_EQ(parse_quantity("1,234.5").value, 1234.5);
  EXPECT_DOUBLE_EQ(parse_quantity("1,234,567").value, 1234567);
}

TEST(ParseQuantity, RefusesWhatCanBeReadInTwoWaysOrCannotBe) {
  for (const char* text : {"1,234", "12,5", "1.234,5", "inf", "-3", "1e999", "1 s ± 2 ms"}) {
    EXPECT_EQ(parse_quantity(text).kind, Kind::kWrong) << text;
  }
}

TEST(ParseQuantity, TellsMissingFromUnclear) {
  for (const char* text : {"", " - ", "NaN", "n/a"}) {
    EXPECT_EQ(parse_quantity(text).kind, Kind::kMissing) << text;
  }
  for (const char* text : {">85", "~68", "gemm_128", "4 GB"}) {
    EXPECT_EQ(parse_quantity(text).kind, Kind::kUnclear) << text;
  }
  EXPECT_EQ(parse_quantity("OOM after 184.41 GiB").kind, Kind::kOutOfMemory);
}

}  // namespace
}  // namespace labreport
