// Tests formulas of notes with the pandoc that set-up installs, whatever is between the dollars.
#include "publish/run_notes.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "publish/chart_renderer.h"
#include "writers/html/template.h"
#include "writers/sample_fixture.h"

namespace labreport::note_formulas_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Pandoc : public testing::Test {
 protected:
  void SetUp() override {
    try {
      convert_formulas({});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  Formulas convert_formulas(const std::set<std::string>& sources) {
    return ChartProcess(LABREPORT_SOURCE_DIR).convert_formulas(sources);
  }
};

TEST_F(Pandoc, KnowsWhatAuthorsWrite) {
  const Formulas made =
      convert_formulas({"$t \\propto d^2$", "$n\\log n$", "$$\\sum_{i=1}^n x_i$$",
                        "$\\mathcal{O}(n^2)$", "$\\begin{pmatrix}a&b\\end{pmatrix}$"});
  EXPECT_EQ(made.size(), 5u);
  EXPECT_EQ(made.at("$t \\propto d^2$").mathml,
            "<mrow><mi>t</mi><mo>∝</mo><msup><mi>d</mi><mn>2</mn></msup></mrow>");
  EXPECT_EQ(made.at("$t \\propto d^2$").typst, "t prop d^2");
  EXPECT_THAT(made.at("$n\\log n$").mathml, HasSubstr("<mspace width=\"0.1667em\">"));
  EXPECT_THAT(made.at("$$\\sum_{i=1}^n x_i$$").mathml, HasSubstr("<munderover>"));
}

TEST_F(Pandoc, NothingInAFormulaIsMarkupOrCode) {
  const Formulas made = convert_formulas({"$\\text{</math><script>\\#read(\"x\")}$", "$a<b$"});
  EXPECT_EQ(made.at("$a<b$").mathml, "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>");
  const Formula& text = made.at("$\\text{</math><script>\\#read(\"x\")}$");
  EXPECT_EQ(text.mathml.find("<script"), std::string::npos);
  EXPECT_EQ(text.typst, "upright(\"</math><script>#read(\\\"x\\\")\")");
}

/// Commands of TeX's own, definitions, comments, code of Typst's, links, unknown commands, marks
/// that turn text around, what nests too deeply, and what is too long.
TEST_F(Pandoc, RefusesWhatCouldDoHarm) {
  std::string deep = "x";
  for (int i = 0; i < 100; ++i) deep = "\\frac{1}{" + deep + "}";
  const Formulas made = convert_formulas({"$\\input{/etc/passwd}$",
                                          "$\\text{\\input{x}}$",
                                          "$x^^5cinput{x}$",
                                          "$\\write18{x}$",
                                          "$\\def\\a{\\a}\\a$",
                                          "$\\newcommand{\\a}{\\a\\a}\\a$",
                                          "$\\let\\a=b$",
                                          "$\\DeclareMathOperator{\\a}{b}\\a$",
                                          "$x\\)\\input{y}\\($",
                                          "$x % y$",
                                          "$x\\\\%y$",
                                          "$\\csname x\\endcsname$",
                                          "$\\href{javascript:x}{y}$",
                                          "$\\boxed{x}$",
                                          "$\\phantom{x}$",
                                          "$\\label{x}y$",
                                          "$\\unknown$",
                                          "$\\text{#x}$",
                                          "$\\text{a_b}$",
                                          "$a \\& b$",
                                          "$x\u202ey$",
                                          "$x\x01y$",
                                          "$x\\$",
                                          "${$",
                                          "$" + deep + "$",
                                          "$" + std::string(5000, 'x') + "$"});
  for (const auto& [source, formula] : made) ADD_FAILURE() << source << " → " << formula.typst;
}

/// Two scripts at one place, brackets without their partner, environments of a whole line, commands
/// of packages that the report does not load, more cells than an array has columns.
TEST_F(Pandoc, RefusesWhatItReadsAndLatexDoesNot) {
  const Formulas made = convert_formulas(
      {"$x^a^b$", "$x_{a}_{b}$", "$x^2'$", "$x_{y^a^b}$", "$x^\\mathbf{a}^b$", "$\\left(a$",
       "$\\begin{align}a&=b\\end{align}$", "$x\\limits_a$", "$\\symbf{a}$", "$\\sqrt$",
       "$\\begin{array}{l}a&b\\end{array}$", "$\\begin{cases}a&b\\\\c&d&e\\end{cases}$",
       "$\\begin{array}{ll}\\begin{array}{c}a&b\\end{array}&c\\end{array}$"});
  for (const auto& [source, formula] : made) ADD_FAILURE() << source << " → " << formula.typst;
  EXPECT_EQ(
      convert_formulas({"$x^{a^b}$", "${x^a}^b$", "$x_a^b$", "$f'^2$", "$\\left\\{a^2\\right\\}^2$",
                        "$\\sum\\limits_a^b x$", "$\\begin{array}{l@{}c|r}a&b&c\\\\d\\end{array}$",
                        "$\\begin{array}{c}\\begin{pmatrix}a&b\\end{pmatrix}\\end{array}$"})
          .size(),
      8u);
}

TEST_F(Pandoc, AFormulaThatNeverEndsCostsNoOtherItsForm) {
  std::string slow = "x";
  for (int i = 0; i < 150; ++i) slow = "\\left(" + slow;
  const Formulas made = convert_formulas({"$" + slow + "$", "$a_1 < b$"});
  EXPECT_TRUE(made.contains("$a_1 < b$"));
}

std::vector<SiteRun> noted_run(const std::string& note) {
  std::vector<SiteRun> runs{{"gpu/2025/1-a", sample_document(), "{}"}};
  runs[0].document.sections.front().parts.front().note = AuthorNote{note};
  return runs;
}

const AuthorNote& note_of(const std::vector<SiteRun>& runs) {
  return *runs[0].document.sections.front().parts.front().note;
}

TEST(NoteFormulas, WithoutTheirToolAreTexAndOneLineSaysSo) {
  std::vector<SiteRun> runs = noted_run("so $a_1 < z$");
  FakeChartTool tool;
  EXPECT_EQ(convert_note_formulas(runs, tool).failure,
            "formulas of notes are shown as TeX: this tool does not convert formulas");
  EXPECT_THAT(markdown_to_html(note_of(runs).markdown, note_of(runs).formulas),
              HasSubstr("<code>a_1 &lt; z</code>"));
}

TEST(NoteFormulas, NeedNoToolWhereSectionsHaveThem) {
  std::vector<SiteRun> runs = noted_run("it grows with $S^2$");
  FakeChartTool tool;
  EXPECT_THAT(convert_note_formulas(runs, tool).failure, IsEmpty());
}

}  // namespace
}  // namespace labreport::note_formulas_test
