#include "writers/align.h"

#include <gtest/gtest.h>

#include "writers/sample_fixture.h"

namespace labreport {
namespace {

/// Texts with their paddings in place, which then are equally long from the point on.
std::vector<std::string> aligned(const std::vector<std::string>& texts) {
  TableView table;
  for (const std::string& text : texts) table.rows.push_back(text_row({text}));
  std::vector<std::string> padded;
  const std::vector<Padding> paddings = align_decimals(table, 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string text = texts[i];
    const std::size_t sign = std::min(text.find(" ±"), text.size());
    padded.push_back(text.insert(sign, "[" + paddings[i].middle + "]") + "[" + paddings[i].end +
                     "]");
  }
  return padded;
}

using Texts = std::vector<std::string>;

TEST(AlignDecimals, FillsMissingDecimals) {
  EXPECT_EQ(aligned({"1.25", "3.5", "1,200"}), (Texts{"1.25[][]", "3.5[][0]", "1,200[][.00]"}));
}

TEST(AlignDecimals, AMinusIsPartOfItsNumber) {
  EXPECT_EQ(aligned({"−0.6", "5.25"}), (Texts{"−0.6[][0]", "5.25[][]"}));
}

TEST(AlignDecimals, AlignsValueAndDeviation) {
  EXPECT_EQ(aligned({"10.620 ± 0.022", "116.71 ± 0.29", "548.8 ± 11.3"}),
            (Texts{"10.620[0] ± 0.022[]", "116.71[00] ± 0.29[0]", "548.8[00] ± 11.3[00]"}));
}

TEST(AlignDecimals, LeavesWordsAlone) {
  EXPECT_EQ(aligned({"–", "out of memory", "", "2.5"}),
            (Texts{"–[][]", "out of memory[][]", "[][]", "2.5[][]"}));
}

}  // namespace
}  // namespace labreport
