// What stands as an answer: the generated one, its numbers, the author's words, or room for them.
#include <gmock/gmock.h>

#include "writers/html/html.h"
#include "writers/markdown/markdown.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

Part answered() {
  Part part;
  part.problem = "p";
  part.letter = "b";
  part.title = "Times";
  part.question = "How long does it take?";
  part.answer = "The pass takes **1 ms**.";
  part.facts = "- Pass: 1 ms; 2 % of it idle\n- Kernel: `a; b: c`, 3 ms";
  part.details.method = "Steps are timed.";
  part.details.findings = "This run shows that they agree.";
  return part;
}

Part noted(bool replaces) {
  Part part = answered();
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

TEST(Answers, NobodyIsAskedForAPartOfTheReportsOwn) {
  Part summary = answered();
  summary.question = "";
  EXPECT_THAT(html(summary, Answers::kNone), Not(HasSubstr("Your answer")));
  EXPECT_THAT(markdown(summary, Answers::kNone), Not(HasSubstr("Your answer")));
}

TEST(Answers, WithoutThemThereIsRoomForTheAuthors) {
  const std::string page = html(answered(), Answers::kNone);
  EXPECT_THAT(page,
              HasSubstr("<section class=\"answer blank\" aria-label=\"Your answer: (b) Times\">"));
  EXPECT_THAT(page, Not(HasSubstr("The pass takes")));
  EXPECT_THAT(markdown(answered(), Answers::kNone), HasSubstr("**Your answer**\n\n&nbsp;\n"));
  EXPECT_THAT(html(answered(), Answers::kFull), Not(HasSubstr("Your answer")));
  EXPECT_THAT(html(noted(true), Answers::kNone), Not(HasSubstr("Your answer")));
}

TEST(Answers, FindingsOfTheDrawerAreSentencesLikeThem) {
  for (const Answers answers : {Answers::kNone, Answers::kFacts}) {
    EXPECT_THAT(html(answered(), answers), HasSubstr("Steps are timed."));
    EXPECT_THAT(html(answered(), answers), Not(HasSubstr("agree")));
    EXPECT_THAT(markdown(answered(), answers), Not(HasSubstr("agree")));
  }
  EXPECT_THAT(html(answered(), Answers::kFull), HasSubstr("agree"));
  EXPECT_THAT(markdown(answered(), Answers::kFull), HasSubstr("timed.\n\nThis run shows"));
}

TEST(Facts, AreAListOfLabelsAndValues) {
  EXPECT_THAT(
      html(answered(), Answers::kFacts),
      HasSubstr("<dl class=\"facts\">\n"
                "<div><dt>Pass</dt><dd>1\u00a0ms</dd><dd>2\u00a0% of it idle</dd></div>\n"
                "<div><dt>Kernel</dt><dd><code>a; b: c</code>, 3\u00a0ms</dd></div>\n</dl>"));
  EXPECT_THAT(markdown(answered(), Answers::kFacts), HasSubstr("- Pass: 1 ms; 2 % of it idle\n"));
}

TEST(Facts, OfAnotherFormAreMarkdown) {
  EXPECT_EQ(facts_html("Nothing *here*."), "<p>Nothing <em>here</em>.</p>\n");
  EXPECT_EQ(facts_html("- <b>: 1 < 2"),
            "<dl class=\"facts\">\n<div><dt>&lt;b&gt;</dt><dd>1 &lt; 2</dd></div>\n</dl>\n");
}

}  // namespace
}  // namespace labreport
