#include "document/rich_text.h"

#include <gmock/gmock.h>

#include <map>

namespace labreport::rich_text_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = Inline::Kind;

Inline text(const std::string& words) { return {Kind::kText, words, "", {}}; }
Inline code(const std::string& words) { return {Kind::kCode, words, "", {}}; }
Inline math(const std::string& tex) { return {Kind::kMath, tex, "", {}, "typst"}; }
Inline nested(Kind kind, Inlines children) { return {kind, "", "", std::move(children)}; }
Inline link(const std::string& target, Inlines children) {
  return {Kind::kLink, "", target, std::move(children)};
}

Formulas formulas_of(const std::vector<std::string>& sources) {
  Formulas formulas;
  for (const std::string& source : sources) formulas[source] = {"mathml", "typst"};
  return formulas;
}
const Formulas kFormulas =
    formulas_of({"$|y|$", "$a_1 * b_2$", "$c*d$", "$z$", "$a\\$b$", "$$\n- z_1\n$$"});

/// Parses Markdown that is one paragraph.
Inlines parse_line(std::string_view markdown) {
  const Blocks blocks = rich_text(markdown, kFormulas);
  EXPECT_THAT(blocks, SizeIs(1)) << markdown;
  return blocks.empty() ? Inlines() : blocks.front().inlines;
}

/// Parses Markdown that is one block.
Block parse_block(std::string_view markdown) {
  Blocks blocks = rich_text(markdown, kFormulas);
  EXPECT_THAT(blocks, SizeIs(1)) << markdown;
  return blocks.empty() ? Block() : blocks.front();
}

TEST(RichText, ParsesInlineMarkup) {
  EXPECT_THAT(
      parse_line("a *b **c*** `d` ~~e~~"),
      ElementsAre(text("a "), nested(Kind::kEmph, {text("b "), nested(Kind::kStrong, {text("c")})}),
                  text(" "), code("d"), text(" "), nested(Kind::kStrike, {text("e")})));
  EXPECT_THAT(parse_line("one\ntwo  \nthree"),
              ElementsAre(text("one two"), Inline{Kind::kBreak, "", "", {}}, text("three")));
  EXPECT_THAT(parse_line("about ~5 and ~6"), ElementsAre(text("about ~5 and ~6")));
}

TEST(RichText, ParsesBlocks) {
  EXPECT_EQ(parse_block("### Title").level, 3);
  EXPECT_EQ(parse_block("> quoted").blocks.front().inlines, Inlines{text("quoted")});
  EXPECT_EQ(parse_block("---").kind, Block::Kind::kRule);
  const Block code_block = parse_block("```sh extra\nmake report\n```");
  EXPECT_EQ(code_block.text, "make report\n");
  EXPECT_EQ(code_block.language, "sh");
}

TEST(RichText, ParsesNestedLists) {
  const Block list = parse_block("3. three\n   - inner\n4. four");
  EXPECT_EQ(list.kind, Block::Kind::kNumberedList);
  EXPECT_EQ(list.start, 3);
  EXPECT_TRUE(list.tight);
  ASSERT_THAT(list.items, SizeIs(2));
  EXPECT_EQ(list.items[0][1].kind, Block::Kind::kBulletList);
}

TEST(RichText, ParsesTablesWithAlignment) {
  const Block table = parse_block("| a | b |\n|---|--:|\n| `x` | $|y|$ |\n| only |");
  EXPECT_THAT(table.aligns, ElementsAre(Align::kLeft, Align::kRight));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre(Inlines{text("a")}, Inlines{text("b")}),
                                      ElementsAre(Inlines{code("x")}, Inlines{math("|y|")}),
                                      ElementsAre(Inlines{text("only")}, IsEmpty())));
}

TEST(RichText, MakesABlockOfALonePicture) {
  const Block block = parse_block("![Two *dots*](figures/dots.png)");
  EXPECT_EQ(block.kind, Block::Kind::kImage);
  EXPECT_EQ(block.inlines.front().text, "Two dots");
  EXPECT_EQ(block.inlines.front().target, "figures/dots.png");
}

TEST(RichText, ReadsTheWidthOfAPictureFromItsTitle) {
  for (const auto& [title, width] : std::map<std::string, std::string>{{"width=320", "50%"},
                                                                       {"width=30%", "30%"},
                                                                       {"width=9999", "100%"},
                                                                       {"width=99999999999", ""},
                                                                       {"width=1", "1%"},
                                                                       {"width=wide", ""},
                                                                       {"a tooltip", ""}}) {
    EXPECT_EQ(parse_line("See ![a](b.png \"" + title + "\")").back().typst, width) << title;
  }
}

TEST(RichText, KeepsOnlyWebAndRelativeLinks) {
  for (const std::string target : {"https://example.org/a_b", "HTTP://example.org",
                                   "other.html#a:b", "../data.csv", "#here"}) {
    EXPECT_THAT(parse_line("[a](" + target + ")"), ElementsAre(link(target, {text("a")})));
  }
  for (const std::string target : {"javascript:alert(1)", "file:///etc", "mailto:a@b.org",
                                   "//example.org", "data:text/html,x", "\\\\\\\\host/x"}) {
    EXPECT_THAT(parse_line("[a](" + target + ")"), ElementsAre(text("a"))) << target;
  }
  EXPECT_THAT(parse_line("see https://example.org now"),
              ElementsAre(text("see "), link("https://example.org", {text("https://example.org")}),
                          text(" now")));
  EXPECT_THAT(parse_line("mail a@example.org"), ElementsAre(text("mail a@example.org")));
}

TEST(RichText, ReplacesWebPicturesByLinks) {
  EXPECT_THAT(parse_line("![a](https://example.org/a.png)"),
              ElementsAre(link("https://example.org/a.png", {text("a")})));
  EXPECT_THAT(parse_line("![a](data:image/png;base64,x)"), ElementsAre(text("a")));
}

TEST(RichText, ShowsRawHtmlWithoutComments) {
  EXPECT_THAT(parse_line("if x <y and z> w<br>"), ElementsAre(text("if x <y and z> w<br>")));
  EXPECT_THAT(parse_line("<div>\n<script>x</script>\n</div>"),
              ElementsAre(text("<div>\n<script>x</script>\n</div>")));
  EXPECT_THAT(rich_text("<!-- costs $5\n\nand $x$ -->"), IsEmpty());
  EXPECT_THAT(parse_line("a<!-- b -->c"), ElementsAre(text("ac")));
}

TEST(RichText, FindsMathByPandocsRule) {
  EXPECT_THAT(parse_line("so $a_1 * b_2$ and $c*d$."),
              ElementsAre(text("so "), math("a_1 * b_2"), text(" and "), math("c*d"), text(".")));
  EXPECT_THAT(parse_line("**$z$**"), ElementsAre(nested(Kind::kStrong, {math("z")})));
  for (const char* plain : {"$20,000 and $30,000", "a $ b $ c", "$x $", "$ x$", "only $x"}) {
    EXPECT_THAT(parse_line(plain), ElementsAre(text(plain)));
  }
  EXPECT_THAT(parse_line("\\$x\\$"), ElementsAre(text("$x$")));
  EXPECT_THAT(parse_line("$a\\$b$"), ElementsAre(math("a\\$b")));
  EXPECT_THAT(rich_text("$x\n\ny$"), SizeIs(2));
}

TEST(RichText, FindsDisplayMathAcrossLines) {
  EXPECT_THAT(parse_line("$$\n- z_1\n$$"),
              ElementsAre(Inline{Kind::kDisplay, "\n- z_1\n", "", {}, "typst"}));
  EXPECT_THAT(parse_line("a $$ b"), ElementsAre(text("a $$ b")));
}

TEST(RichText, ShowsUnconvertedFormulasAsCode) {
  EXPECT_THAT(parse_line("so $\\unknown{z}$"), ElementsAre(text("so "), code("\\unknown{z}")));
}

TEST(RichText, KeepsDollarsOfCodeAndAddresses) {
  EXPECT_THAT(parse_line("`$HOME` or ``a`$b$``"),
              ElementsAre(code("$HOME"), text(" or "), code("a`$b$")));
  EXPECT_EQ(parse_block("```sh\necho $A$B\n```").text, "echo $A$B\n");
  EXPECT_EQ(parse_block("    echo $A$\n").text, "echo $A$\n");
  EXPECT_EQ(parse_line("[a](b$c$d)").front().target, "b$c$d");
  EXPECT_EQ(parse_line("![$a$](b.png)").front().text, "$a$");
}

TEST(RichText, RemovesForgedMarks) {
  EXPECT_THAT(parse_line("\uFDD07\uFDD1 $z$"), ElementsAre(text("7 "), math("z")));
}

TEST(RichText, ReplacesDeepNestingByText) {
  const Blocks blocks = rich_text(std::string(5000, '>') + " deep *inside* $z$", kFormulas);
  int depth = 0;
  const Blocks* inner = &blocks;
  for (; inner->front().kind == Block::Kind::kQuote; ++depth) inner = &inner->front().blocks;
  EXPECT_LT(depth, 50);
  EXPECT_THAT(inner->front().inlines, ElementsAre(text("deep inside "), math("z")));
}

TEST(PlainText, HasNoMarkup) {
  EXPECT_EQ(plain_text(parse_line("a *b* `c` [d](e) $f$")), "a b c d f");
}

}  // namespace
}  // namespace labreport::rich_text_test
