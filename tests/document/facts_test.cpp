#include "document/facts.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace labreport::facts_test {
namespace {

using testing::HasSubstr;

Facts item(const std::string& name) {
  Facts facts;
  facts.set("name", name);
  return facts;
}

Facts some_facts() {
  Facts facts;
  facts.set("size", "2.7B");
  facts.flag("fast", true);
  facts.flag("slow", false);
  facts.list("sizes", {item("small"), item("medium")});
  facts.list("none", {});
  return facts;
}

std::string render(std::string_view words) { return render_words(words, some_facts(), "part (b)"); }

TEST(RenderWords, FillsTagsSectionsAndLists) {
  EXPECT_EQ(render("Size {{size}}."), "Size 2.7B.");
  EXPECT_EQ(render("It is{{#fast}} fast{{/fast}}{{#slow}} slow{{/slow}}."), "It is fast.");
  EXPECT_EQ(render("{{^slow}}Not slow.{{/slow}}"), "Not slow.");
  EXPECT_EQ(render("{{#sizes}}{{name}} of {{size}}; {{/sizes}}end"),
            "small of 2.7B; medium of 2.7B; end");
  EXPECT_EQ(render("{{#none}}{{anything}}{{/none}}{{^none}}No size ran.{{/none}}"), "No size ran.");
}

TEST(RenderWords, JoinsTheLinesOfAParagraphAndKeepsBlocksApart) {
  EXPECT_EQ(render("one\ntwo\n\n\nthree\n"), "one two\n\nthree");
  EXPECT_EQ(render("one\n{{#slow}}\nleft out\n{{/slow}}\ntwo"), "one two");
  EXPECT_EQ(render("one\n{{#fast}}\ntwo\n{{/fast}}\n\nthree"), "one two\n\nthree");
  EXPECT_EQ(render("one {{#slow}}left out{{/slow}} two"), "one two");
  EXPECT_EQ(render("- one\n  more\n- two"), "- one more\n- two");
  EXPECT_EQ(render("a table:\n\n| a |\n|---|\n| {{size}} |\n"),
            "a table:\n\n| a |\n|---|\n| 2.7B |");
  EXPECT_EQ(render("```\na\n  b\n```"), "```\na\n  b\n```");
}

/// Returns the message with which a template is refused.
std::string refusal(std::string_view words) {
  try {
    render(words);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RenderWords, RefusesATagThatNamesNoFact) {
  EXPECT_THAT(refusal("{{sise}}"), HasSubstr("part (b): the tag 'sise' names no fact"));
  EXPECT_THAT(refusal("{{#sise}}x{{/sise}}"), HasSubstr("'sise' names no fact"));
  EXPECT_THAT(refusal("{{#slow}}{{sise}}{{/slow}}"), HasSubstr("'sise' names no fact"));
  EXPECT_THAT(refusal("{{#sizes}}{{sise}}{{/sizes}}"), HasSubstr("'sise' names no fact"));
  EXPECT_THAT(refusal("{{name}}"), HasSubstr("'name' names no fact"));
}

TEST(RenderWords, RefusesATagOfTheWrongType) {
  EXPECT_THAT(refusal("{{fast}}"), HasSubstr("'fast' is not text"));
  EXPECT_THAT(refusal("{{#size}}x{{/size}}"), HasSubstr("'size' is text"));
  EXPECT_THAT(refusal("{{{size}}}"), HasSubstr("kind of tag"));
  EXPECT_THAT(refusal("{{>size}}"), HasSubstr("kind of tag"));
}

TEST(RenderWords, RefusesSectionsThatDoNotNest) {
  EXPECT_THAT(refusal("{{#fast}}x"), HasSubstr("'#fast' has no closing tag"));
  EXPECT_THAT(refusal("x{{/fast}}"), HasSubstr("closes what is not open"));
  EXPECT_THAT(refusal("{{#fast}}{{#slow}}{{/fast}}{{/slow}}"), HasSubstr("'/fast' closes"));
  EXPECT_THAT(refusal("{{size"), HasSubstr("is not closed"));
}

TEST(RenderWords, RefusesListsWhoseItemsDiffer) {
  Facts facts;
  facts.list("sizes", {item("small"), Facts()});
  EXPECT_THROW(render_words("{{#sizes}}{{name}}{{/sizes}}", facts, "here"), Error);
}

TEST(Facts, EscapeAddresses) {
  Facts facts;
  facts.set("label", "https://a.example www.b.example");
  EXPECT_EQ(render_words("{{label}}", facts, "words"), "https:\\/\\/a.example www\\.b.example");
}

TEST(Facts, EscapeTextButNotMarkdown) {
  Facts facts;
  facts.set("text", "**a** {{b}} <i>");
  facts.set_markdown("markdown", "**a**");
  EXPECT_EQ(render_words("{{text}} {{markdown}}", facts, "here"),
            "\\*\\*a\\*\\* \\{\\{b\\}\\} \\<i\\> **a**");
}

TEST(Facts, FormatARowLikeATable) {
  const std::vector<Column<double>> columns{
      {"share", "Share", [](double share) { return share; }, "%", {Notation::kPercent}},
      {"twice", "Twice", [](double share) { return 2 * share; }, "", {Notation::kFixed, 2}}};
  EXPECT_EQ(render_words("{{share}} {{twice}}", Facts().set(0.25, columns), "here"), "25.0 0.50");
}

TEST(Facts, ChooseAtMostOneSituation) {
  const auto rendered = [](const char* holds) {
    const Facts facts = Facts().choose({"one", "two"}, holds, Facts().set("value", "x"));
    return render_words("{{#one}}1 {{value}}{{/one}}{{#two}}2 {{value}}{{/two}}", facts, "here");
  };
  EXPECT_EQ(rendered("two"), "2 x");
  EXPECT_EQ(rendered(""), "");
}

TEST(EscapeMarkdown, LeavesOrdinaryNumbersAndNamesAlone) {
  EXPECT_EQ(escape_markdown("2.7B: 273.30 ± 0.57 ms (n − 1), 93.1 %"),
            "2.7B: 273.30 ± 0.57 ms (n − 1), 93.1 %");
}

TEST(EscapeMarkdown, EscapesMarkupWhereverItStands) {
  EXPECT_EQ(escape_markdown("a_b|c`d`[e](f)&g$h~i\\"),
            "a\\_b\\|c\\`d\\`\\[e\\](f)\\&g\\$h\\~i\\\\");
  EXPECT_EQ(escape_markdown("two\nlines"), "two lines");
}

TEST(EscapeMarkdown, EscapesMarkersOfBlocks) {
  EXPECT_EQ(escape_markdown("- x"), "\\- x");
  EXPECT_EQ(escape_markdown("12. x"), "12\\. x");
  EXPECT_EQ(escape_markdown("## x"), "\\## x");
  EXPECT_EQ(escape_markdown("---"), "\\---");
  EXPECT_EQ(escape_markdown("-5 x"), "-5 x");
  EXPECT_EQ(escape_markdown("12.5 x"), "12.5 x");
}

}  // namespace
}  // namespace labreport::facts_test
