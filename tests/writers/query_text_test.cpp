// Tests that each format prints a query's result, and that no text becomes markup or a formula.
#include "writers/query/query_text.h"

#include <gtest/gtest.h>

namespace labreport::query_text_test {
namespace {

QueryResult sample() {
  return {{"size", "ms", "n"},
          {{"small", 19.30991234, 10}, {"2.7B", 328.0, {}}, {"=a|b", 1234567.8, 1}}};
}

TEST(QueryText, AlignsColumnsForATerminal) {
  EXPECT_EQ(as_table(sample()),
            "size        ms   n\n"
            "small  19.3099  10\n"
            "2.7B       328   –\n"
            "=a|b   1234568   1\n");
}

TEST(QueryText, SaysToATerminalThatNoRowMatched) {
  EXPECT_EQ(as_table({{"size", "ms"}, {}}), "size  ms\n(no rows)\n");
}

TEST(QueryText, CutsLongTextsOnlyForATerminal) {
  const QueryResult result{{"name"}, {{std::string(100, 'x')}}};
  EXPECT_LT(as_table(result).size(), 80u);
  EXPECT_GT(as_csv(result).size(), 100u);
}

TEST(QueryText, ShowsNoControlCharacter) {
  EXPECT_EQ(as_table({{"a"}, {{"\x1b[31m"}}}), "a\n\uFFFD[31m\n");
}

TEST(QueryText, WritesAMarkdownTable) {
  EXPECT_EQ(as_markdown(sample()),
            "| size | ms | n |\n"
            "| --- | ---: | ---: |\n"
            "| small | 19.3099 | 10 |\n"
            "| 2.7B | 328 | – |\n"
            "| =a\\|b | 1234568 | 1 |\n");
}

TEST(QueryText, WritesCsvWithoutFormulas) {
  EXPECT_EQ(as_csv(sample()), "size,ms,n\nsmall,19.30991234,10\n2.7B,328,\n'=a|b,1234567.8,1\n");
}

TEST(QueryText, WritesNullAsJson) {
  EXPECT_EQ(as_json({{"size", "ms"}, {{"2.7B", {}}}}),
            "[\n  {\n    \"size\": \"2.7B\",\n    \"ms\": null\n  }\n]\n");
}

}  // namespace
}  // namespace labreport::query_text_test
