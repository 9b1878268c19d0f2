#include "writers/align.h"

#include <gtest/gtest.h>

namespace labreport::align_test {
namespace {

using Texts = std::vector<std::string>;

/// Returns each cell's text with its paddings in brackets.
Texts aligned(const std::vector<Value>& values, const Notation& notation = {}) {
  TableView table;
  table.columns = {{"a", "", Align::kRight, false, notation}};
  for (const Value& value : values) table.rows.push_back({{value}});
  Texts padded;
  for (const AlignedCell& cell : align_decimals(table, 0)) {
    padded.push_back(cell.text.value + "[" + cell.after_value + "]" + cell.text.tail() + "[" +
                     cell.at_end + "]");
  }
  return padded;
}

constexpr Notation kTrimmed{Notation::kNoTrailingZeros};

TEST(AlignDecimals, FillsMissingDecimals) {
  EXPECT_EQ(aligned({1.25, 3.5, 1200}, kTrimmed), (Texts{"1.25[][]", "3.5[][0]", "1200[][.00]"}));
}

TEST(AlignDecimals, AlignsNegativeNumbers) {
  EXPECT_EQ(aligned({-0.6, 5.25}, kTrimmed), (Texts{"−0.6[][0]", "5.25[][]"}));
}

TEST(AlignDecimals, AlignsValueAndDeviation) {
  EXPECT_EQ(aligned({{10.62, 0.022}, {116.71, 0.29}, {548.8, 11.3}, 2.5}, kTrimmed),
            (Texts{"10.62[0] ± 0.02[]", "116.7[00] ± 0.3[0]", "549[.00] ± 11[.00]", "2.5[][0]"}));
}

TEST(AlignDecimals, LeavesWordsAndPowersAlone) {
  EXPECT_EQ(aligned({{}, "out of memory", "1.25", "", 1e-9, 2.5}, kTrimmed),
            (Texts{"–[][]", "out of memory[][]", "1.25[][]", "[][]", "1.00\u00a0×\u00a010⁻⁹[][]",
                   "2.5[][]"}));
}

TEST(AlignDecimals, MakesAnEmptyCellForAShortRow) {
  TableView table;
  table.columns = {{"a", ""}, {"b", ""}};
  table.rows = {{{"xl"}}};
  EXPECT_EQ(align_decimals(table, 1).at(0).text.joined(), "");
}

}  // namespace
}  // namespace labreport::align_test
