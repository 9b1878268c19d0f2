// Tests that pages and Markdown say the same: the author, the answers or room for them, captions.
#include <gmock/gmock.h>

#include "document/demonstration.h"
#include "writers/html/html.h"
#include "writers/markdown/markdown.h"
#include "writers/markdown/paper.h"
#include "writers/sample_fixture.h"
#include "writers/typst/typst.h"
#include "writers/typst/typst_source.h"

namespace labreport::every_format_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Part answered_part() {
  Part part;
  part.problem = "p";
  part.letter = "b";
  part.title = "Times";
  part.question = "How long does it take?";
  part.answer = "The pass takes **1 ms**.";
  part.details.method = "Steps are timed.";
  part.details.findings = "This run shows that they agree.";
  return part;
}

Part noted_part(bool replaces) {
  Part part = answered_part();
  part.note = AuthorNote{"It takes *long*.", replaces};
  return part;
}

std::string html(const Part& part, Answers answers, const FrontMatter& front = {}) {
  PageState state{.drawings = {}, .answers = answers, .front = front};
  return part_html(part, state);
}

std::string markdown(const Part& part, Answers answers, const FrontMatter& front = {}) {
  Document document;
  document.front = front;
  document.sections = {{"p", "Problem", {part}}};
  return report_markdown(document, {}, answers);
}

TEST(Answers, AreNotRequestedWithoutAQuestion) {
  Part summary = answered_part();
  summary.question = "";
  EXPECT_THAT(html(summary, Answers::kNone), Not(HasSubstr("Your answer")));
  EXPECT_THAT(markdown(summary, Answers::kNone), Not(HasSubstr("Your answer")));
}

TEST(Answers, LeaveRoomForTheAuthorIfOmitted) {
  const std::string page = html(answered_part(), Answers::kNone);
  EXPECT_THAT(page,
              HasSubstr("<section class=\"answer blank\" aria-label=\"Your answer: (b) Times\">"));
  EXPECT_THAT(page, Not(HasSubstr("The pass takes")));
  EXPECT_THAT(markdown(answered_part(), Answers::kNone), HasSubstr("**Your answer**\n\n&nbsp;\n"));
  EXPECT_THAT(html(answered_part(), Answers::kFull), Not(HasSubstr("Your answer")));
  EXPECT_THAT(html(noted_part(true), Answers::kNone), Not(HasSubstr("Your answer")));
}

TEST(Answers, IncludeFindingsInTheDetails) {
  EXPECT_THAT(html(answered_part(), Answers::kNone), HasSubstr("Steps are timed."));
  EXPECT_THAT(html(answered_part(), Answers::kNone), Not(HasSubstr("agree")));
  EXPECT_THAT(markdown(answered_part(), Answers::kNone), Not(HasSubstr("agree")));
  EXPECT_THAT(html(answered_part(), Answers::kFull), HasSubstr("agree"));
  EXPECT_THAT(markdown(answered_part(), Answers::kFull), HasSubstr("timed.\n\nThis run shows"));
}

TEST(Byline, IsEmptyIfNothingIsKnown) {
  EXPECT_EQ(byline_html({}), "");
  EXPECT_EQ(byline_markdown({}), "");
}

TEST(Byline, IsEscapedInEveryFormat) {
  const FrontMatter front{"<b>Ada</b> {{title}} *x*", "[CS](javascript:x)", ""};
  EXPECT_THAT(byline_html(front), HasSubstr("&lt;b&gt;Ada&lt;/b&gt; {{title}} *x*"));
  EXPECT_THAT(byline_markdown(front), HasSubstr("\\<b\\>Ada\\</b\\>"));
  EXPECT_THAT(byline_markdown(front), Not(HasSubstr("[CS](")));
}

TEST(Byline, ShowsTheRepositoryByItsName) {
  const FrontMatter front{"Ada Lovelace", "CS336: Spring", "https://github.com/ada/a2/"};
  EXPECT_EQ(byline_markdown(front),
            "**Ada Lovelace** · CS336: Spring · [github.com/ada/a2](https://github.com/ada/a2/)");
  EXPECT_THAT(byline_html(front),
              HasSubstr("<a href=\"https://github.com/ada/a2/\">github.com/ada/a2</a>"));
}

TEST(Captions, MentionInteractionOnlyOnThePage) {
  Document document = sample_document();
  Figure& figure = document.sections.front().parts.front().figures.front();
  figure.page_caption = "Pointing at a dot names it.";
  const Drawings drawings = {{figure.slug, {}}};
  const auto words = HasSubstr("Pointing at a dot");
  EXPECT_THAT(page_html(document, drawings, {}), words);
  EXPECT_THAT(report_typst(document, drawings, {}), Not(words));
  EXPECT_THAT(report_markdown(document, drawings, Answers::kFull), Not(words));
  EXPECT_THAT(report_paper(document, {{figure.slug, {}}}, {}), Not(words));
}

TEST(Demonstration, IsToldInTheSameWordsInEveryFormat) {
  Document document = sample_document();
  document.demonstration = true;
  const auto words = HasSubstr(kDemonstrationMeaning);
  EXPECT_THAT(page_html(document, {}, {}), words);
  OverviewPage overview;
  overview.document = document;
  overview.document.sections.front().parts.front().tables.front().slug = "runs";
  EXPECT_THAT(overview_html(overview, {}, {}), words);
  EXPECT_THAT(report_typst(document, {}, {}), words);
  EXPECT_THAT(report_markdown(document, {}, Answers::kFull), words);
  EXPECT_THAT(report_paper(document, {}, {}), words);
}

/// Tells whether each format that can write below a row writes this remark beside it.
std::vector<bool> stands_beside(const std::string& remark) {
  TableView table{.slug = "t", .title = "T", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}, {"time", "ms"}};
  table.rows = {{.cells = {"xl", 1.5}, .flags = {remark}}};
  Part part;
  part.tables = {table};
  const std::string page = table_html(table, "t"), pdf = typst_table(table),
                    paper = part_paper(part, {}, {}, {});
  EXPECT_EQ(page.find("rowspan") == page.npos, page.find(">Remarks<") != page.npos);
  EXPECT_EQ(pdf.find("colspan: 2") == pdf.npos, pdf.find("[Remarks]") != pdf.npos);
  EXPECT_EQ(paper.find("| " + remark + " | \uFDD0 |") == paper.npos,
            paper.find("| Remarks |") != paper.npos);
  return {page.find(">Remarks<") != page.npos, pdf.find("[Remarks]") != pdf.npos,
          paper.find("| Remarks |") != paper.npos};
}

TEST(Remarks, StandBesideTheirRowInEveryFormatIfTheyAreShortAndSoAreTheirWords) {
  for (const char* remark : {"outlier", "allocated in step", "µµµµµµµµ µµµµµµµµ µµµ"})
    EXPECT_THAT(stands_beside(remark), testing::Each(true)) << remark;
  for (const char* remark : {"out of memory in optimizer", "disturbed-by-others"})
    EXPECT_THAT(stands_beside(remark), testing::Each(false)) << remark;
}

}  // namespace
}  // namespace labreport::every_format_test
