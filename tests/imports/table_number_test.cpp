#include "imports/table_number.h"

#include <gtest/gtest.h>

namespace labreport {
namespace {

using Kind = TableNumber::Kind;

TEST(ParseTableNumber, ReadsNumbersWithTheirUnitsAndDeviations) {
  const TableNumber number = parse_table_number("**12.5 ± 0.25 ms**");
  EXPECT_EQ(number.kind, Kind::kNumber);
  EXPECT_DOUBLE_EQ(number.value, 12.5);
  EXPECT_DOUBLE_EQ(number.deviation.value(), 0.25);
  EXPECT_EQ(number.unit, Unit::kMilliseconds);
  EXPECT_DOUBLE_EQ(parse_table_number("$1.5 \\pm 0.5$").deviation.value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_table_number("1.2e-3 s").value, 1.2e-3);
  EXPECT_EQ(parse_table_number("7 µs").unit, Unit::kMicroseconds);
}

TEST(ParseTableNumber, ReadsThousandsWhereTheyAreBeyondDoubt) {
  EXPECT_DOUBLE_EQ(parse_table_number("1,234.5").value, 1234.5);
  EXPECT_DOUBLE_EQ(parse_table_number("1,234,567").value, 1234567);
}

TEST(ParseTableNumber, RefusesWhatCanBeReadInTwoWaysOrCannotBe) {
  for (const char* text : {"1,234", "12,5", "1.234,5", "inf", "-3", "1e999", "1 s ± 2 ms"}) {
    EXPECT_EQ(parse_table_number(text).kind, Kind::kWrong) << text;
  }
}

TEST(ParseTableNumber, TellsMissingFromUnclear) {
  for (const char* text : {"", " - ", "NaN", "n/a"}) {
    EXPECT_EQ(parse_table_number(text).kind, Kind::kMissing) << text;
  }
  for (const char* text : {">85", "~68", "gemm_128", "4 GB"}) {
    EXPECT_EQ(parse_table_number(text).kind, Kind::kUnclear) << text;
  }
  for (const char* text : {"OOM after 184.41 GiB", "CUDA out of memory", "CUDA OOM"}) {
    EXPECT_EQ(parse_table_number(text).kind, Kind::kOutOfMemory) << text;
  }
}

}  // namespace
}  // namespace labreport
