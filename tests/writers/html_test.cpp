#include "writers/html/html.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "document/index/index_document.h"
#include "document/keyed_number.h"
#include "writers/html/template.h"
#include "writers/sample_fixture.h"

namespace labreport::html_test {
namespace {

using testing::AllOf;
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
  std::size_t matches = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++matches;
  }
  return matches;
}

TEST(Overview, NumbersCarryTheirKeys) {
  Value value = 303.25;
  value.key = "training-step/ms";
  Part part;
  part.answer = "**" + keyed_number("303 ms", value) + "** and [more](a.html).";
  OverviewPage page;
  page.document.sections = {{"runs", "Runs", {part}}};
  EXPECT_THAT(
      overview_html(page, {}, {}),
      HasSubstr("<p><strong><data value=\"303.25\" data-key=\"training-step/ms\">303\u00a0ms</data>"
                "</strong> and <a href=\"a.html\">more</a>.</p>"));
}

TEST(Page, NamesTablesThatAPrintOmits) {
  Document document = sample_document();
  TableView& endless = document.sections[0].parts[0].tables.emplace_back();
  endless.slug = "endless";
  endless.title = "Every <step>";
  endless.columns = {{"a", "ms"}};
  endless.rows.resize(500);
  const std::string page = page_html(document, {}, options());
  EXPECT_THAT(page,
              HasSubstr("<p class=\"on-paper\">On screen: Every &lt;step&gt; (500 rows).</p>"));
  EXPECT_THAT(page, HasSubstr("class=\"tabled on-screen\" id=\"table-"));
}

TEST(Page, EscapesMarkupFromRuns) {
  const Document document = demonstration_document();
  const std::string page = page_html(document, {}, options());
  const std::string index =
      overview_html(overview_pages({sample_summary(document, "cpu")}).front(), {}, {});
  for (const std::string& html : {page, index}) {
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt; &amp; | `CPU` **bold**"));
  }
}

/// Returns the description of a page whose summary has this answer.
std::string description(const std::string& answer, Answers answers = Answers::kFull) {
  Document document = sample_document();
  Part part;
  part.problem = "summary";
  part.answer = answer;
  document.sections.insert(document.sections.begin(), {"summary", "Summary", {part}});
  return description_of(document, answers);
}

TEST(Description, IsTheFirstFindingAsPlainText) {
  EXPECT_EQ(description("- **A step of `xl`** takes $3$ ms [here](#a).\n- Another."),
            "A step of xl takes 3 ms here. Another.");
  EXPECT_EQ(description("- **All-reduce:** 3 ms\n- **Step:** 9 ms"),
            "All-reduce: 3 ms. Step: 9 ms.");
  EXPECT_EQ(description("A paragraph.\n\nAnother."), "A paragraph.");
}

TEST(Description, EndsWithASentenceThatFitsOrElseWithAWord) {
  const std::string many(150, 'a');
  EXPECT_EQ(description(many + " 2.5 vs. 3 ms. " + many + "."), many + " 2.5 vs. 3 ms.");
  EXPECT_EQ(description(many + " vs. 3 " + many), many + " vs. 3…");
  EXPECT_EQ(description(many + many).size(), 200 + std::string("…").size());
}

TEST(Description, SaysWhatWasMeasuredIfThereIsNoFinding) {
  const std::string measured =
      "Profiling and benchmarking (§1.1), measured on NVIDIA H200 for CS336 assignment 2, 2025 "
      "edition. 21 cells: 20 ok, 1 out of memory.";
  EXPECT_EQ(description(""), measured);
  EXPECT_EQ(description("A finding.", Answers::kNone), measured);
}

TEST(Foot, LinksToTheAuthorsRepositoryAndNamesTheLicenseOfShippedRuns) {
  Document document = demonstration_document();
  EXPECT_THAT(foot_html(document), HasSubstr(">Made with labreport<"));
  document.front.repository = "https://a.example/b";
  document.reference = true;
  EXPECT_THAT(foot_html(document),
              HasSubstr("labreport · <a href=\"https://a.example/b\">source</a>"
                        " · text and data under the <a "
                        "href=\"https://opensource.org/license/mit\">MIT license</a><"));
}

TEST(Page, GroupsTheVariantsOfAFamily) {
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
  for (const char* next :
       {"data-variant=\"128\"", "figure-chart-0", "figure-chart-1", "data-variant=\"512\"",
        "figure-chart-2", "</div>\n</div>", "id=\"figure-chart-3\""}) {
    at = page.find(next, at);
    ASSERT_NE(at, std::string::npos) << next;
  }
}

TEST(Page, HasNoSwitchForASingleVariant) {
  Document document = sample_document();
  document.sections[0].parts[0].figures[0].family = "Context";
  document.sections[0].parts[1].figures.resize(1);
  EXPECT_THAT(page_html(document, {}, options()), Not(HasSubstr("class=\"variants\"")));
}

TEST(Page, GivesEqualTablesDistinctIds) {
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

TEST(Page, ShowsAShortQuestionWholeAndALongOneInADrawer) {
  Document document = sample_document();
  Part& part = document.sections[0].parts[0];
  part.question = "How *long*?";
  EXPECT_THAT(page_html(document, {}, options()),
              HasSubstr("<div class=\"question\"><p>How <em>long</em>?</p>\n</div>"));
  const std::string long_words(170, 'x');
  part.question = long_words + "\n\n- one";
  EXPECT_THAT(page_html(document, {}, options()),
              HasSubstr("<details class=\"question\"><summary>" + long_words +
                        "</summary>\n<ul>\n<li>one</li>\n</ul>\n</details>"));
}

TEST(Page, HasOneDrawerForTheDataAndTheMethodOfAPart) {
  Document document = sample_document();
  const Figure& figure = document.sections[0].parts[0].figures.at(0);
  const std::string page =
      page_html(document, {{figure.slug, {"<svg></svg>", "<svg></svg>"}}}, options());
  const std::size_t at = page.find("id=\"figure-" + figure.slug + "-data\"");
  ASSERT_NE(at, std::string::npos);
  const std::size_t figure_end =
      page.find("</figure>", page.find("id=\"figure-" + figure.slug + "\""));
  EXPECT_GT(page.rfind("<details class=\"details\">", at), figure_end);
  EXPECT_THAT(page.substr(at, page.find("</caption>", at) - at),
              HasSubstr("Data of figure 1: " + figure.table.title));
}

TEST(Page, OpensTheDataOfUndrawnFigures) {
  const std::string page = page_html(sample_document(), {}, options());
  EXPECT_THAT(page, Not(HasSubstr("class=\"frame")));
  EXPECT_THAT(page, HasSubstr("<details open><summary>Data of figure 1"));
}

TEST(Template, RefusesATagWithoutAValue) {
  EXPECT_THROW(fill_template("table.html", {{"title", "T"}}), Error);
  EXPECT_THROW(fill_template("no-such.html", {}), Error);
}

TEST(ComparedPairs, BelongToGpusByTheWholeNamesOfFolders) {
  const ComparedPair pair{"", "", "", {"gpu-2/2025/one", "other/2026/two"}};
  EXPECT_TRUE(pair.compares("gpu-2"));
  EXPECT_TRUE(pair.compares("other"));
  EXPECT_FALSE(pair.compares("gpu"));
}

TEST(MarkdownToHtml, GivesPicturesTheirWidths) {
  EXPECT_THAT(markdown_to_html("![a](b.png \"width=50%\")"), HasSubstr(" width=\"50%\""));
  const std::string words = markdown_to_html("say title=\"width=3\" here");
  EXPECT_THAT(words, HasSubstr("title=&quot;width=3&quot;"));
}

TEST(MarkdownToHtml, KeepsTheFlagsOfACommandWhole) {
  EXPECT_THAT(markdown_to_html("not --here `run --sizes small --only b` ![a --b](c.png)"),
              AllOf(HasSubstr("not --here <code>run <span class=\"whole\">--sizes</span> small "
                              "<span class=\"whole\">--only</span> b</code>"),
                    HasSubstr("alt=\"a --b\"")));
}

TEST(MarkdownToHtml, LeavesRawHtmlAndUnsafeLinksOut) {
  const std::string html = markdown_to_html("<b>x</b> [a](javascript:alert(1)) **bold**");
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("javascript:")));
  EXPECT_THAT(html, HasSubstr("<strong>bold</strong>"));
}

TEST(MarkdownToHtml, TypesetsKnownFormulas) {
  const Formulas known = {{"$a_1 < b$", {"<mi>a</mi>", ""}}, {"$$z^2$$", {"<mi>z</mi>", ""}}};
  const std::string html = markdown_to_html("so $a_1 < b$ holds:\n\n$$z^2$$", known);
  EXPECT_THAT(html,
              HasSubstr("<p>so <math display=\"inline\" alttext=\"a_1 &lt; b\"><mi>a</mi></math>"));
  EXPECT_THAT(html, HasSubstr("<math display=\"block\" tabindex=\"0\" alttext=\"z^2\">"));
}

TEST(MarkdownToHtml, ShowsUnknownFormulasAsCode) {
  EXPECT_THAT(markdown_to_html("$\\foo{<b>}$"), HasSubstr("<code>\\foo{&lt;b&gt;}</code>"));
}

TEST(MarkdownToHtml, KeepsANumberWithItsDeviationAndUnit) {
  EXPECT_EQ(markdown_to_html("takes 1.5 ± 0.2 ms or 3 % of it"),
            "<p>takes 1.5\u00a0±\u00a00.2\u00a0ms or 3\u00a0% of it</p>\n");
}

}  // namespace
}  // namespace labreport::html_test
