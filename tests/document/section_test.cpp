#include "document/section.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace labreport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kWords = R"(
# benchmarking_script: Timing the training step

## (b) Durations
### Question
How long?
### Answer
It takes {{time}}.
### Method
One clock.

## (c) Warm-up
### Question
Why?
)";

PartContent content() {
  PartContent content;
  content.facts.set("time", "12 ms");
  content.details.warnings = {"hot"};
  return content;
}

TEST(ParseSection, TakesProblemPartsAndBlocksApart) {
  const SectionWords words = parse_section(kWords);
  EXPECT_EQ(words.problem, "benchmarking_script");
  EXPECT_EQ(words.title, "Timing the training step");
  ASSERT_EQ(words.parts.size(), 2u);
  EXPECT_EQ(words.parts[0].letter, "b");
  EXPECT_EQ(words.parts[0].title, "Durations");
  EXPECT_EQ(words.parts[0].question, "How long?");
  EXPECT_EQ(words.parts[0].answer, "It takes {{time}}.");
  EXPECT_EQ(words.parts[1].letter, "c");
  EXPECT_THAT(words.parts[1].answer, IsEmpty());
}

TEST(ParseSection, AProblemWithASinglePartHasNoLetter) {
  const SectionWords words = parse_section("# accumulation: Sums\n## Four loops\n");
  EXPECT_EQ(words.parts.at(0).letter, "");
  EXPECT_EQ(words.parts.at(0).title, "Four loops");
}

std::string refusal(const std::string& words) {
  try {
    parse_section(words);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseSection, NamesTheLineThatDoesNotFollowTheFormat) {
  EXPECT_THAT(refusal(""), HasSubstr("begins with '# problem: Title'"));
  EXPECT_THAT(refusal("# no title"), HasSubstr("line 1: expected '# problem: Title'"));
  EXPECT_THAT(refusal("# a: A\nlost"), HasSubstr("line 2: text outside of a block: lost"));
  EXPECT_THAT(refusal("# a: A\n### Answer"), HasSubstr("before the first part"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n### Anser"), HasSubstr("unknown block 'Anser'"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n## (b) C"), HasSubstr("part (b) appears twice"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n### Table t\ntitle: T\n\nWords."),
              HasSubstr("table 't' has a caption, which only a figure shows"));
  EXPECT_THAT(refusal("# a: A\n## (b) B\n### Answer\nx\n### Answer\ny"), HasSubstr("twice"));
}

TEST(ComposeSection, FillsThePartsThatHaveContent) {
  const Section section = compose_section(kWords, {{"b", content()}});
  ASSERT_EQ(section.parts.size(), 1u);
  const Part& part = section.parts[0];
  EXPECT_EQ(part.anchor(), "benchmarking_script-b");
  EXPECT_EQ(part.answer, "It takes 12 ms.");
  EXPECT_EQ(part.details.method, "One clock.");
  EXPECT_EQ(part.details.warnings, std::vector<std::string>{"hot"});
}

TEST(ComposeSection, LendsTheMethodOfAPartThatIsNotShown) {
  constexpr std::string_view kParts =
      "# p: P\n## (a) A\n### Method\nOne clock for {{time}}.\n"
      "## (b) B\n### Method\nAs in part (a). Twice.\n## (c) C\n### Method\nAs in part (a).\n";
  const auto methods = [&](const std::string& letters) {
    std::map<std::string, PartContent> shown;
    for (const char letter : letters) shown.emplace(std::string(1, letter), content());
    std::vector<std::string> all;
    for (const Part& part : compose_section(kParts, shown).parts) {
      all.push_back(part.details.method);
    }
    return all;
  };
  EXPECT_THAT(methods("abc"),
              ElementsAre("One clock for 12 ms.", "As in part (a). Twice.", "As in part (a)."));
  EXPECT_THAT(methods("bc"), ElementsAre("One clock for 12 ms.\n\nTwice.", "As in part (b)."));
  EXPECT_THAT(methods("c"), ElementsAre("One clock for 12 ms."));
}

TEST(ComposeSection, RefusesContentWithoutWordsAndTagsWithoutFacts) {
  EXPECT_THROW(compose_section(kWords, {{"d", content()}}), Error);
  EXPECT_THROW(compose_section(kWords, {{"b", PartContent()}}), Error);
}

}  // namespace
}  // namespace labreport
