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
  EXPECT_EQ(number.unit, unit_named("ms"));
  EXPECT_DOUBLE_EQ(parse_table_number("$1.5 \\pm 0.5$").deviation.value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_table_number("1.2e-3 s").value, 1.2e-3);
  EXPECT_EQ(parse_table_number("7 µs").unit, unit_named("us"));
}

TEST(ParseTableNumber, TakesTheUnitOfItsColumn) {
  const Unit* ms = unit_named("ms");
  EXPECT_EQ(parse_table_number("12.5", ms).unit, ms);
  EXPECT_EQ(parse_table_number("12.5ms", ms).unit, ms);
  EXPECT_EQ(parse_table_number("12.5s", ms).why, "it is in s, the column's name says ms");
}

TEST(ParseTableNumber, TellsWhatEachCellIs) {
  for (const auto& [kind, cells] : std::initializer_list<std::pair<Kind, std::vector<const char*>>>{
           {Kind::kWrong,
            {"1,234", "12,5", "1,234.5", "1.234,5", "-1,5", "inf", "-inf", "-3", "1e999",
             "1 s ± 2 ms", "5 ± -1"}},
           {Kind::kMissing, {"", " - ", "–", "NaN", "n/a", "None"}},
           {Kind::kUnclear, {">85", "~68", "gemm_128", "4 GB", "1e", "12.3.4", "0x10", "5 ± ?"}},
           {Kind::kOutOfMemory, {"OOM after 184.41 GiB", "CUDA out of memory", "CUDA OOM"}},
       }) {
    for (const char* cell : cells) EXPECT_EQ(parse_table_number(cell).kind, kind) << cell;
  }
}

}  // namespace
}  // namespace labreport
