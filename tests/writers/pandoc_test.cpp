#include "writers/pandoc/pandoc.h"

#include <gmock/gmock.h>

#include "writers/pandoc/pandoc_nodes.h"
#include "writers/sample_fixture.h"
#include "writers/sample_parts.h"

namespace labreport::pandoc_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Returns the words of a node and of its descendants.
std::string words_of(const json& node) {
  std::string words;
  if (node.is_object() && node.contains("t")) {
    if (node["t"] == "Space") return " ";
    if (node["t"] == "Str") return node["c"];
    if (node["t"] == "Code" || node["t"] == "Math") return node["c"][1];
  }
  for (const json& child : node) {
    if (child.is_structured()) words += words_of(child);
  }
  return words;
}

TableView small_table() {
  TableView table{.slug = "times", .title = "Times", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft},
                   {"forward", "ms"},
                   {"backward", "ms", Align::kRight, false, {Notation::kNoTrailingZeros}}};
  table.rows = {{{"small", {9.5, 1.2}, 1.25}}, {{"xl", {10.25, 0.11}, 12}}};
  return table;
}

std::vector<std::string> row_of(const json& table, std::size_t row) {
  std::vector<std::string> cells;
  // The first body is [4][0] of a table's content, and [3] of a body has its rows.
  for (const json& cell : table["c"][4][0][3][row][1]) cells.push_back(words_of(cell));
  return cells;
}

std::vector<json> widths_of(const json& table) {
  std::vector<json> widths;
  for (const json& column : table["c"][2]) widths.push_back(column[1]);
  return widths;
}

TEST(Pandoc, HasNoRawNode) {
  const std::string tree = report_pandoc(sample_document(), {}, {});
  EXPECT_TRUE(json::accept(tree));
  EXPECT_THAT(tree, Not(HasSubstr("\"RawInline\"")));
  EXPECT_THAT(tree, Not(HasSubstr("\"RawBlock\"")));
}

TEST(Pandoc, BreaksLongWordsBehindSigns) {
  EXPECT_EQ(words_of(pandoc_words("a/b at::native::vectorized_kernel")),
            "a/b at::\u200bnative::\u200bvectorized_\u200bkernel");
  EXPECT_EQ(words_of(pandoc_code("git  log")), "git  log");
}

TEST(Pandoc, AlignsDecimalsWithFigureSpaces) {
  const json table = pandoc_table(small_table(), "times");
  EXPECT_THAT(row_of(table, 0), ElementsAre("small",
                                            "9.5\u2007 ±\u00a0"
                                            "1.2\u2007",
                                            "1.25"));
  EXPECT_THAT(row_of(table, 1), ElementsAre("xl",
                                            "10.25 ±\u00a0"
                                            "0.11",
                                            "12\u2008\u2007\u2007"));
}

TEST(Pandoc, FitsOnlyAWideTableToTheLine) {
  TableView table = small_table();
  EXPECT_EQ(widths_of(pandoc_table(table, "times")).front(), (json{{"t", "ColWidthDefault"}}));
  for (int i = 0; i < 12; ++i) {
    table.columns.push_back({"step " + std::to_string(i), "ms"});
    for (RowView& row : table.rows) row.cells.emplace_back(123.4, 5.6);
  }
  double line = 0;
  for (const json& width : widths_of(pandoc_table(table, "times")))
    line += width["c"].get<double>();
  EXPECT_GT(line, 0.9);
  EXPECT_LE(line, 1.0001);
}

TEST(Pandoc, WritesDisplaysInlineInsideEmphasis) {
  const Formulas known{{"$$x$$", {}}};
  EXPECT_THAT(pandoc_blocks("so $$x$$", known).dump(), HasSubstr("DisplayMath"));
  EXPECT_THAT(pandoc_blocks("so **$$x$$**", known).dump(), HasSubstr("InlineMath"));
}

TEST(Pandoc, LimitsTheNestingOfLists) {
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += std::string(static_cast<std::size_t>(2 * i), ' ') + "- x\n";
  const std::string tree = pandoc_blocks(deep).dump();
  std::size_t lists = 0;
  for (std::size_t at = 0; (at = tree.find("BulletList", at)) != tree.npos; ++at) ++lists;
  EXPECT_LE(lists, 4u);
}

TEST(Pandoc, ReplacesUnsupportedPicturesByWords) {
  EXPECT_THAT(pandoc_blocks("![Two dots](dots.png)").dump(), HasSubstr("\"Image\""));
  EXPECT_EQ(
      words_of(pandoc_blocks("![Two dots](dots.svg)")),
      "[Picture: Two dots (dots.svg, a kind that LaTeX cannot place: save it as PNG or JPEG)]");
}

}  // namespace
}  // namespace labreport::pandoc_test
