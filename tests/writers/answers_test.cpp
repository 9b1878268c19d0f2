// An answer is the generated one, the author's words, or room for them.
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
  EXPECT_THAT(html(answered(), Answers::kNone), HasSubstr("Steps are timed."));
  EXPECT_THAT(html(answered(), Answers::kNone), Not(HasSubstr("agree")));
  EXPECT_THAT(markdown(answered(), Answers::kNone), Not(HasSubstr("agree")));
  EXPECT_THAT(html(answered(), Answers::kFull), HasSubstr("agree"));
  EXPECT_THAT(markdown(answered(), Answers::kFull), HasSubstr("timed.\n\nThis run shows"));
}

}  // namespace
}  // namespace labreport
