#include <gmock/gmock.h>

#include "imports/vocabulary.h"

namespace labreport {
namespace {

TEST(ParseTableNumber, ReadsNumbersWithTheirUnitsAndDeviations) {
  const TableNumber number = parse_table_number("12.5 ± 0.25 ms");
  EXPECT_DOUBLE_EQ(number.value, 12.5);
  EXPECT_DOUBLE_EQ(number.deviation.value(), 0.25);
  EXPECT_EQ(number.unit, unit_named("ms"));
  EXPECT_DOUBLE_EQ(parse_table_number("1.5 \\pm 0.5").deviation.value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_table_number("1.2e-3 s").value, 1.2e-3);
  EXPECT_EQ(parse_table_number("7 µs").unit, unit_named("us"));
}

TEST(ParseTableNumber, TakesTheUnitOfItsColumn) {
  const Unit* ms = unit_named("ms");
  EXPECT_EQ(parse_table_number("12.5", ms).unit, ms);
  EXPECT_EQ(parse_table_number("12.5ms", ms).unit, ms);
  EXPECT_THAT([&] { parse_table_number("12.5s", ms); },
              testing::ThrowsMessage<InputError>("it is in s, the column's name says ms"));
}

TEST(ParseTableNumber, TellsWhatEachCellIs) {
  for (const char* wrong : {"1,234", "12,5", "1,234.5", "1.234,5", "-1,5", "inf", "-inf", "-3",
                            "1e999", "1 s ± 2 ms", "5 ± -1"}) {
    EXPECT_THROW(parse_table_number(wrong), InputError) << wrong;
  }
  for (const char* missing : {"", "–", "-", "NaN", "n/a", "None"}) {
    EXPECT_THAT([&] { parse_table_number(missing); },
                testing::ThrowsMessage<LeftOut>("no value is given"));
  }
  for (const char* unclear :
       {">85", "~68", "gemm_128", "4 GB", "1e", "12.3.4", "0x10", "5 ± ?", "5 ± NaN"}) {
    EXPECT_THROW(parse_table_number(unclear), LeftOut) << unclear;
  }
  for (const char* out : {"OOM after 184.41 GiB", "CUDA out of memory", "CUDA OOM"}) {
    EXPECT_TRUE(parse_table_number(out).out_of_memory) << out;
  }
}

}  // namespace
}  // namespace labreport
