#include "writers/math/math.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "writers/html/template.h"

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The inside of the <math> element; "" for what is outside of the subset.
std::string mathml(std::string_view tex, bool display = false) {
  const auto math = parse_math(tex);
  if (!math) return "";
  std::string whole = to_mathml(*math, "", display);
  const std::size_t begin = whole.find("><mrow>") + 7;
  return whole.substr(begin, whole.rfind("</mrow></math>") - begin);
}

std::string typst(std::string_view tex) {
  const auto math = parse_math(tex);
  return math ? to_typst(*math, false) : "";
}

TEST(Math, LettersNumbersAndOperators) {
  EXPECT_EQ(mathml("12.5x-\\mu\\le y"),
            "<mn>12.5</mn><mi>x</mi><mo>−</mo><mi>μ</mi><mo>≤</mo><mi>y</mi>");
  EXPECT_EQ(typst("12.5x-\\mu\\le y"), "$12.5 x − μ ≤ y$");
  EXPECT_EQ(mathml("α ≈ β"), "<mi>α</mi><mo>≈</mo><mi>β</mi>");
}

TEST(Math, ScriptsAndPrimes) {
  EXPECT_EQ(mathml("x_i^2"),
            "<msubsup><mi>x</mi><mrow><mi>i</mi></mrow><mrow><mn>2</mn></mrow></msubsup>");
  EXPECT_EQ(typst("x_i^2"), "$attach(x, b: i, t: 2)$");
  EXPECT_EQ(typst("f'^2_\\text{max}"), "$attach(f, b: \"max\", t: ′ 2)$");
  EXPECT_EQ(typst("2^{10}"), "$attach(2, t: 10)$");
  EXPECT_EQ(typst("x^10"), "$attach(x, t: 1) 0$") << "a script without braces is one character";
}

TEST(Math, LimitsStandAboveAndBelowInADisplay) {
  EXPECT_THAT(mathml("\\sum_{i=1}^n i", true), HasSubstr("<munderover><mo>∑</mo>"));
  EXPECT_THAT(mathml("\\sum_{i=1}^n i", false), HasSubstr("<msubsup><mo>∑</mo>"));
  EXPECT_THAT(mathml("\\max_i x", true), HasSubstr("<munder>"));
  EXPECT_THAT(typst("\\max_i x"), HasSubstr("attach(op(\"max\", limits: #true), b: i)"));
}

TEST(Math, FractionsRootsFencesAndAccents) {
  EXPECT_EQ(mathml("\\frac12"), "<mfrac><mn>1</mn><mn>2</mn></mfrac>");
  EXPECT_EQ(typst("\\frac{a+b}{c}"), "$frac(a \\+ b, c)$");
  EXPECT_EQ(typst("\\sqrt{x}\\sqrt[3]{y}"), "$sqrt(x) root(3, y)$");
  EXPECT_EQ(typst("\\left(\\frac ab\\right."), "$lr(\\( frac(a, b))$");
  EXPECT_EQ(typst("\\left\\lfloor x \\right\\}"), "$lr(⌊ x \\})$");
  EXPECT_EQ(typst("\\hat{y}"), "$hat(y)$");
  EXPECT_THAT(mathml("\\left(x\\right)"),
              HasSubstr("<mo stretchy=\"true\" form=\"prefix\">(</mo>"));
  EXPECT_THAT(mathml("(x)"), HasSubstr("<mo stretchy=\"false\">(</mo>"));
}

TEST(Math, WordsFunctionsAndAlphabets) {
  EXPECT_EQ(mathml("n\\log n"),
            "<mi>n</mi><mspace width=\"0.1667em\"></mspace><mi mathvariant=\"normal\">log</mi>"
            "<mspace width=\"0.1667em\"></mspace><mi>n</mi>");
  EXPECT_EQ(typst("\\text{a \"b\"}\\mathrm{FFN}"), "$\"a \\\"b\\\"\" upright(\"FFN\")$");
  EXPECT_EQ(typst("\\mathbf{xW}\\mathcal{O}\\mathbb{R}"), "$𝐱 𝐖 𝒪 ℝ$");
  EXPECT_EQ(mathml("a\\,b"), "<mi>a</mi><mspace width=\"0.1667em\"></mspace><mi>b</mi>");
}

TEST(Math, WhatIsOutsideOfTheSubsetIsNothing) {
  for (const char* tex : {"\\input{secret}",
                          "\\def\\x{}",
                          "\\unknown",
                          "x^",
                          "x_a_b",
                          "x^a^b",
                          "x^2'",
                          "{x",
                          "x}",
                          "\\frac{a}",
                          "\\left( x",
                          "\\right)",
                          "\\text{a\\b}",
                          "\\text{$}",
                          "a & b",
                          "a \\\\ b",
                          "a % b",
                          "\\",
                          "a # b",
                          "\"",
                          "`",
                          "x^\\frac12",
                          "\\begin{matrix}",
                          "☃",
                          "\\text{}"}) {
    EXPECT_FALSE(parse_math(tex)) << tex;
  }
  EXPECT_FALSE(parse_math(std::string(10000, '{') + std::string(10000, '}')));
}

TEST(Math, NothingInAFormulaIsMarkup) {
  EXPECT_EQ(mathml("a<b"), "<mi>a</mi><mo>&lt;</mo><mi>b</mi>");
  EXPECT_EQ(mathml("\\text{<script>}"), "<mtext>&lt;script&gt;</mtext>");
  EXPECT_EQ(typst("(a, b; [c] / d)"), "$\\( a \\, b \\; \\[ c \\] \\/ d \\)$");
}

TEST(MarkdownToHtml, TypesetsFormulas) {
  const std::string html = markdown_to_html("so $a_1 < b$ holds:\n\n$$x^2$$");
  EXPECT_THAT(html,
              HasSubstr("<p>so <math display=\"inline\" alttext=\"a_1 &lt; b\"><mrow><msub>"));
  EXPECT_THAT(html, HasSubstr("<math display=\"block\" tabindex=\"0\" alttext=\"x^2\">"));
}

TEST(MarkdownToHtml, ShowsFormulasBeyondTheSubsetAsTheyWereWritten) {
  EXPECT_THAT(markdown_to_html("$\\foo{<b>}$"), HasSubstr("<code>\\foo{&lt;b&gt;}</code>"));
}

TEST(MarkdownToHtml, ShowsTablesOfGithubsMarkdown) {
  EXPECT_THAT(markdown_to_html("| a |\n|---|\n| ~~b~~ |"), HasSubstr("<td><del>b</del></td>"));
}

}  // namespace
}  // namespace labreport
