#include "writers/typst/typst.h"

#include <gmock/gmock.h>

#include "writers/sample_fixture.h"
#include "writers/typst/typst_source.h"
#include "writers/typst/typst_text.h"

namespace labreport::typst_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string blocks(std::string_view markdown) {
  static const Document document = sample_document();
  static const TypstOptions options;
  const TypstSource source(document, {}, options);
  return typst_blocks(markdown, source);
}

TEST(TypstText, EscapesSpecialCharacters) {
  EXPECT_EQ(typst_text("#a $b$ *c* _d_ @e <f> [g] `h` ~"),
            "\\#a \\$b\\$ \\*c\\* \\_d\\_ \\@e \\<f\\> \\[g\\] \\`h\\` \\~");
  EXPECT_EQ(typst_text("// x /* y */ 1. z"), "\\/\\/ x \\/\\* y \\*\\/ 1\\. z");
  EXPECT_EQ(typst_text("(a"), "\\(a") << "behind a call it would be its arguments";
  EXPECT_EQ(typst_text("12.5 is plain (really); a-b, 50%."), "12.5 is plain (really); a-b, 50%.");
}

TEST(TypstText, OmitsInvisibleCharacters) {
  EXPECT_EQ(typst_text("a\u202Eb\x01\x1B\tc\nd"), "ab c d");
  EXPECT_EQ(typst_string("say \"\\\"\n"), "\"say \\\"\\\\\\\" \"");
}

TEST(TypstText, BreaksLongWordsButNoNumbers) {
  EXPECT_THAT(typst_text(std::string(100, 'W')), HasSubstr("\u200b"));
  EXPECT_EQ(typst_text("1.5 ms"), "1.5\u00a0ms");
}

TEST(TypstBlocks, TypesetKnownFormulas) {
  EXPECT_THAT(blocks("$2 P$ and $\\foo$"), HasSubstr("alt: \"2 P\", $2 P$) and #raw(\"\\\\foo\")"));
}

TEST(TypstBlocks, WriteAddressesOfLinksAsFootnotes) {
  EXPECT_THAT(blocks("[a](https://example.org/b)"),
              HasSubstr("#link(\"https://example.org/b\")[a]#footnote["));
  EXPECT_EQ(blocks("[a](javascript:b) [c](#nowhere)"), "a c\n\n");
  EXPECT_THAT(blocks("[a](#benchmarking_script-b)"),
              HasSubstr("#link(label(\"benchmarking_script-b\"))[a]"));
}

TEST(TypstReport, FollowsTheOptionsForAnswersAndPaper) {
  TypstOptions options;
  options.answers = Answers::kNone;
  options.paper = Paper::kLetter;
  const std::string text = report_typst(sample_document(), {}, options);
  EXPECT_THAT(text, HasSubstr("#let report-paper = \"us-letter\""));
  EXPECT_THAT(text, Not(HasSubstr("answers are generated")));
  EXPECT_THAT(text, HasSubstr("[Your answer]"));
}

TEST(TypstReport, PutsLongRemarksBelowTheirRow) {
  TableView table{.slug = "t", .title = "T", .columns = {{"row", "", Align::kLeft}}, .rows = {}};
  table.rows.push_back({{"a"}});
  table.rows.back().flags = {"allocated in step"};
  EXPECT_THAT(typst_table(table), HasSubstr("[Remarks]"));
  table.rows.back().flags = {"as long as it takes to need more room than a column has"};
  EXPECT_THAT(typst_table(table), Not(HasSubstr("[Remarks]")));
  EXPECT_THAT(typst_table(table), HasSubstr("colspan: 1"));
}

TEST(TypstReport, PutsFiguresBesideTheAnswerOrInPairs) {
  Document document = sample_document();
  Part& part = document.sections.front().parts.front();
  part.figures.resize(3);
  for (const std::size_t i : {0, 1, 2}) part.figures[i].slug = "drawn" + std::to_string(i);
  const Drawings drawings = {{"drawn0", {}}, {"drawn1", {}}, {"drawn2", {}}};
  const std::string text = report_typst(document, drawings, {});
  EXPECT_THAT(text, HasSubstr("#beside[\n#block(stroke: (left:"));
  EXPECT_THAT(text, HasSubstr("#pair[\n#figure(\n  image(\"charts/narrow/drawn1.svg\""));
}

TEST(TypstReport, PutsALongAnswerAboveItsFigure) {
  Document document = sample_document();
  Part& part = document.sections.front().parts.front();
  part.answer = std::string(3000, 'a');
  part.figures.resize(1);
  part.figures[0].slug = "drawn";
  EXPECT_THAT(report_typst(document, {{"drawn", {}}}, {}), Not(HasSubstr("#beside[")));
}

TEST(TypstReport, LetsALongTableRunOverPages) {
  TableView table{.slug = "t", .title = "Many rows", .columns = {}, .rows = {}};
  table.columns = {{"row", "", Align::kLeft}};
  for (int i = 0; i < 20; ++i) table.rows.push_back({{std::to_string(i)}});
  EXPECT_THAT(typst_table(table), Not(HasSubstr("breakable: true")));
  for (int i = 0; i < 20; ++i) table.rows.push_back({{std::to_string(i)}});
  EXPECT_THAT(typst_table(table), HasSubstr("#show figure: set block(breakable: true)"));
}

}  // namespace
}  // namespace labreport::typst_test
