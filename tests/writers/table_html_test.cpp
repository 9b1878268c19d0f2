#include <gmock/gmock.h>

#include "writers/html/html.h"
#include "writers/sample_fixture.h"

namespace labreport::table_html_test {
namespace {

const ColumnView kNumber{"a", "ms", Align::kRight, false, {Notation::kNoTrailingZeros}};

using testing::HasSubstr;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t matches = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++matches;
  }
  return matches;
}

TEST(Table, ShowsAReasonAcrossTheRemainingColumns) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, kNumber, kNumber};
  table.rows = {{{"xl"}}, {{"s", 1.5, 22.25}}, {{"m", 1.25, {}}}};
  table.rows[0].flags = {"shared GPU"};
  table.rows[0].missing_reason = "out of memory";
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<td class=\"note\" colspan=\"2\">out of memory</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"flags\">shared GPU</td>"));
  EXPECT_THAT(html,
              HasSubstr("<td class=\"number\" data-sort=\"1.5\">1.5<i data-pad=\"0\"></i></td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number muted\">–</td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"whole\">xl</th>"));
}

TEST(Table, MarksANumberWithItsKey) {
  TableView table{.slug = "t", .title = "T", .columns = {kNumber, kNumber}, .rows = {{{1, 2.5}}}};
  table.rows[0].cells[1].key = "a\"b";
  EXPECT_THAT(table_html(table, "table-t"),
              HasSubstr("data-sort=\"2.5\" data-key=\"a&quot;b\">2.5<"));
}

TEST(Table, KeepsFlagsAndShortWordsOnOneLine) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"row", "", Align::kLeft},
                   {"command", "", Align::kLeft, true},
                   {"bound", "", Align::kLeft},
                   {"note", "", Align::kLeft}};
  table.rows = {{{"a", "run --only x --steps 10", "GPU-bound", "rather more words"}}};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<code><span>run</span> <span>--only x</span> <span>--steps 10"));
  EXPECT_THAT(html, HasSubstr("<td class=\"words whole\">GPU-bound</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"words\">rather more words</td>"));
}

TEST(Table, BreaksLongNamesBehindUnderscores) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"name", "", Align::kLeft}};
  table.rows = {{{"sm80_xmma_gemm_<f32>_tilesize"}}, {{"train_step"}}};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("sm80_<wbr>xmma_<wbr>gemm_<wbr>&lt;f32&gt;_<wbr>tilesize"));
  EXPECT_THAT(html, HasSubstr("train_step"));
}

TEST(Table, PutsALongRemarkBelowItsRow) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, kNumber, kNumber};
  table.rows = {{{"xl", 1.5, {}}}};
  table.rows[0].flags = {"outlier", "train step: out of memory in optimizer"};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"whole\" rowspan=\"2\">xl</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"flags\" colspan=\"2\">outlier, train step: out"));
}

TEST(Table, BreaksVeryLongWords) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"name", "", Align::kLeft}};
  std::string word;
  for (int i = 0; i < 100; ++i) word += "é";
  table.rows = {{{word}}};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("é<wbr>é"));
  EXPECT_EQ(count(html, "é"), 100u);
}

TEST(Table, UsesANumberAsTheHeadOfItsRow) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {kNumber, kNumber};
  table.rows = {{{1, 2.5}}};
  EXPECT_THAT(table_html(table, "table-t"),
              HasSubstr("<th scope=\"row\" class=\"number\" data-sort=\"1\">1</th>"));
}

}  // namespace
}  // namespace labreport::table_html_test
