#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/sample_fixture.h"
#include "report/template.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

PageOptions options(Answers answers = Answers::kFull) {
  return {.root = "../../../", .interactive = true, .answers = answers};
}

std::string sample_page(Answers answers = Answers::kFull) {
  const Document document = sample_document();
  FakeChartTool tool;
  return page_html(document, draw_all({&document}, tool).front(), options(answers));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Page, ShowsQuestionAnswerFigureTableAndDrawerInThisOrder) {
  const std::string page = sample_page();
  std::size_t at = page.find("id=\"benchmarking_script-b\"");
  for (const char* next : {"class=\"question\"", "class=\"answer\"", "<figure", "-durations-title\"",
                           "class=\"drawer\"", "id=\"benchmarking_script-c\""}) {
    at = page.find(next, at);
    ASSERT_NE(at, std::string::npos) << next;
  }
}

TEST(Page, EveryLinkInsideItHasATarget) {
  const std::string page = sample_page();
  const std::string opening = "href=\"#";
  for (std::size_t at = page.find(opening); at != std::string::npos;
       at = page.find(opening, at + 1)) {
    const std::size_t begin = at + opening.size();
    const std::string anchor = page.substr(begin, page.find('"', begin) - begin);
    EXPECT_EQ(count(page, "id=\"" + anchor + "\""), 1u) << anchor;
  }
}

TEST(Page, LeavesAnswersOutOrReducesThemToTheirNumbers) {
  const std::string full = sample_page();
  EXPECT_THAT(full, HasSubstr("Generated from this run’s measurements"));
  EXPECT_THAT(full, HasSubstr("The steps vary little"));
  const std::string facts = sample_page(Answers::kFacts);
  EXPECT_THAT(facts, HasSubstr("<li>forward, 2.7B: <strong>"));
  EXPECT_THAT(facts, Not(HasSubstr("The steps vary little")));
  const std::string none = sample_page(Answers::kNone);
  EXPECT_THAT(none, Not(HasSubstr("class=\"answer\"")));
  EXPECT_THAT(none, HasSubstr("<figure"));
}

TEST(Page, NothingFromARunBecomesMarkup) {
  const Document document = demonstration_document();
  const std::string page = page_html(document, {}, options());
  const std::string index = index_html({{&document, "cpu/index.html"}});
  for (const std::string& html : {page, index}) {
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt; &amp; | `CPU` **bold**"));
  }
}

TEST(Page, HoldsTheVariantsOfAFamilyTogether) {
  Document document = sample_document();
  std::vector<Figure>& figures = document.sections[0].parts[0].figures;
  figures = {figures[0], figures[0], figures[0], figures[0]};
  const std::vector<std::string> contexts = {"128", "128", "512", ""};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    figures[i].slug = "chart-" + std::to_string(i);
    figures[i].family = contexts[i].empty() ? "" : "Context";
    figures[i].variant = contexts[i];
  }
  const std::string page = page_html(document, {}, options());
  const std::size_t family = page.find("class=\"variants\" data-family=\"Context\"");
  ASSERT_NE(family, std::string::npos);
  std::size_t at = family;
  for (const char* next : {"data-variant=\"128\"", "figure-chart-0", "figure-chart-1",
                           "data-variant=\"512\"", "figure-chart-2", "</div>\n</div>",
                           "id=\"figure-chart-3\""}) {
    at = page.find(next, at);
    ASSERT_NE(at, std::string::npos) << next;
  }
}

TEST(Page, AFamilyOfOneVariantIsNothingToSwitch) {
  Document document = sample_document();
  document.sections[0].parts[0].figures[0].family = "Context";
  document.sections[0].parts[1].figures.resize(1);
  EXPECT_THAT(page_html(document, {}, options()), Not(HasSubstr("class=\"variants\"")));
}

TEST(Page, GivesTablesOfOneNameIdsOfTheirOwn) {
  Document document = sample_document();
  std::vector<TableView>& tables = document.sections[0].parts[0].tables;
  tables.push_back(tables.front());
  const std::string page = page_html(document, {}, options());
  EXPECT_EQ(count(page, " id=\"table-benchmarking_script-b-durations\""), 1u);
  EXPECT_EQ(count(page, " id=\"table-benchmarking_script-b-durations-2\""), 1u);
}

TEST(Page, MarksDemonstrationsReferencesAndInterruptedRuns) {
  const std::string demonstration = page_html(demonstration_document(), {}, options());
  EXPECT_THAT(demonstration, HasSubstr("class=\"banner\""));
  EXPECT_THAT(demonstration, HasSubstr("interrupted: cells are missing"));
  EXPECT_THAT(demonstration, Not(HasSubstr("reference run")));
  const std::string reference = sample_page();
  EXPECT_THAT(reference, HasSubstr("reference run"));
  EXPECT_THAT(reference, Not(HasSubstr("CPU demonstration")));
}

TEST(Page, WithoutPicturesAFigureIsItsDataOpened) {
  const std::string page = page_html(sample_document(), {}, options());
  EXPECT_THAT(page, Not(HasSubstr("class=\"frame")));
  EXPECT_THAT(page, HasSubstr("<details open><summary>Data of figure 1"));
}

TEST(Table, SpansARowsRemainingColumnsWithItsReasonAndWordsItsFlags) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"a", "ms"}, {"b", "ms"}};
  table.rows = {text_row({"xl"}), text_row({"s", "1.5", "22.25"}), text_row({"m", "1.25", "–"})};
  table.rows[0].flags = {"shared GPU"};
  table.rows[0].note = "out of memory";
  table.rows[2].cells[2].muted = true;
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<td class=\"note\" colspan=\"2\">out of memory</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"flags\">shared GPU</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">1.5<i data-pad=\"0\"></i></td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number muted\">–</td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"whole\">xl</th>"));
}

TEST(Table, KeepsFlagsWithTheirValuesAndSingleWordsInOneLine) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"row", "", Align::kLeft},
                   {"command", "", Align::kLeft, true},
                   {"bound", "", Align::kLeft},
                   {"note", "", Align::kLeft}};
  table.rows = {text_row({"a", "run --only x --steps 10", "GPU-bound", "two words"})};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<code><span>run</span> <span>--only x</span> <span>--steps 10"));
  EXPECT_THAT(html, HasSubstr("<td class=\"words whole\">GPU-bound</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"words\">two words</td>"));
}

TEST(Table, LetsALongFunctionsNameBreakBehindItsUnderscores) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"name", "", Align::kLeft}};
  table.rows = {text_row({"sm80_xmma_gemm_<f32>_tilesize"}), text_row({"train_step"})};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("sm80_<wbr>xmma_<wbr>gemm_<wbr>&lt;f32&gt;_<wbr>tilesize"));
  EXPECT_THAT(html, HasSubstr("train_step"));
}

TEST(Table, PutsAReasonBelowItsRow) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"a", "ms"}, {"b", "ms"}};
  table.rows = {text_row({"xl", "1.5", "–"})};
  table.rows[0].flags = {"outlier", "train step: out of memory in optimizer"};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"whole\" rowspan=\"2\">xl</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"flags\" colspan=\"2\">outlier, train step: out"));
}

TEST(Table, CarriesTheNumberBehindATextForSorting) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"a", "ms"}};
  table.rows = {text_row({"xl", "1.5 ± 0.1"}), text_row({"m", "–"})};
  table.rows[0].cells[1].sort = 1.5004;
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("<td class=\"number\" data-sort=\"1.5004\">1.5 ± 0.1</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">–</td>"));
}

TEST(Table, BreaksAWordThatNoLineCanHold) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"name", "", Align::kLeft}};
  std::string word;
  for (int i = 0; i < 100; ++i) word += "é";
  table.rows = {text_row({word})};
  const std::string html = table_html(table, "table-t");
  EXPECT_THAT(html, HasSubstr("é<wbr>é"));
  EXPECT_EQ(count(html, "é"), 100u);
}

TEST(Table, NamesARowByItsFirstCellAlsoWhereThatIsANumber) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"step", ""}, {"time", "ms"}};
  table.rows = {text_row({"1", "2.5"})};
  EXPECT_THAT(table_html(table, "table-t"), HasSubstr("<th scope=\"row\" class=\"number\">1</th>"));
}

TEST(Template, RefusesATagThatNothingFills) {
  EXPECT_THROW(fill_template("table.html", {{"title", "T"}}), Error);
  EXPECT_THROW(fill_template("no-such.html", {}), Error);
}

TEST(MarkdownToHtml, LeavesRawHtmlAndUnsafeLinksOut) {
  const std::string html = markdown_to_html("<b>x</b> [a](javascript:alert(1)) **bold**");
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("javascript:")));
  EXPECT_THAT(html, HasSubstr("<strong>bold</strong>"));
}

TEST(MarkdownToHtml, KeepsANumberWithItsDeviationAndUnit) {
  EXPECT_EQ(markdown_to_html("takes 1.5 ± 0.2 ms or 3 % of it"),
            "<p>takes 1.5\u00a0±\u00a00.2\u00a0ms or 3\u00a0% of it</p>\n");
}

TEST(Index, HasOneCardARunWithThreeHeadlines) {
  const Document first = sample_document();
  const Document second = demonstration_document();
  const std::string index = index_html({{&first, "a/index.html"}, {&second, "b/index.html"}});
  EXPECT_EQ(count(index, "<li class=\"card"), 2u);
  EXPECT_EQ(count(index, "class=\"value\""), 6u);
  EXPECT_THAT(index, HasSubstr("<a href=\"a/index.html\">NVIDIA H200</a>"));
  EXPECT_THAT(index_html({}), HasSubstr("No run has been recorded yet"));
}

}  // namespace
}  // namespace labreport
