#include "imports/text_table.h"

#include <gmock/gmock.h>

namespace labreport {
namespace {

using testing::ElementsAre;

TEST(FindTables, ReadsPipesBetweenWords) {
  const auto tables =
      find_tables("words\n\n| a | b\\|c |\n|:--|--:|\n| 1 | **2** |\n\nmore | words\n");
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].form, "Markdown");
  EXPECT_EQ(tables[0].line, 3U);
  EXPECT_THAT(tables[0].header, ElementsAre("a", "b|c"));
  ASSERT_EQ(tables[0].rows.size(), 1U);
  EXPECT_EQ(tables[0].rows[0].line, 5U);
  EXPECT_THAT(tables[0].rows[0].cells, ElementsAre("1", "2"));
}

TEST(FindTables, TakesNoListMarkForAName) {
  const auto tables = find_tables("c)  model | time\n|:--|--:|\n| small | 2 |\n");
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_THAT(tables[0].header, ElementsAre("model", "time"));
}

TEST(FindTables, ReadsQuotedFieldsBehindAByteOrderMarkAndCarriageReturns) {
  const auto tables = find_tables("\xEF\xBB\xBFname,value\r\n\"a, \"\"b\"\"\",\"1,234.5\"\r\n");
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_THAT(tables[0].header, ElementsAre("name", "value"));
  EXPECT_THAT(tables[0].rows.at(0).cells, ElementsAre("a, \"b\"", "1,234.5"));
}

TEST(FindTables, TellsAQuoteThatIsNotClosed) {
  EXPECT_EQ(find_tables("a,b\n1,2\n\"3,4\n").at(0).broken_line, 3U);
  EXPECT_EQ(find_tables("a,b\n1,\"2\n3,4\n").at(0).broken_line, 2U);
}

TEST(FindTables, FillsUpRowsOfPipesThatEndEarly) {
  EXPECT_THAT(find_tables("|a|b|\n|-|-|\n|1|\n").at(0).rows.at(0).cells, ElementsAre("1", ""));
}

TEST(FindTables, ReadsAPrintedFrameWithItsIndex) {
  const auto tables =
      find_tables("   model  forward mean\n0  small          1.5\n1     xl          2.5\n");
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].form, "aligned columns");
  EXPECT_THAT(tables[0].header, ElementsAre("", "model", "forward mean"));
  EXPECT_THAT(tables[0].rows.at(1).cells, ElementsAre("1", "xl", "2.5"));
}

TEST(FindTables, FindsNoneInNothing) {
  EXPECT_TRUE(find_tables("").empty());
  EXPECT_TRUE(find_tables("one line of prose, with a comma\n").empty());
  EXPECT_TRUE(find_tables("In [None]:\n# context_length=256\nrun it\n").empty());
  EXPECT_TRUE(find_tables("model forward\nsmall takes\nlarge runs\n").empty());
  EXPECT_TRUE(find_tables("model  forward\nsmall  5\n").empty()) << "two rows at least";
}

}  // namespace
}  // namespace labreport
