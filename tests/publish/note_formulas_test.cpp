// Tests which formulas of notes the pandoc that setup/install installs converts or refuses.
#include "publish/run_notes.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "publish/chart_renderer.h"
#include "writers/html/template.h"
#include "writers/sample_fixture.h"
#include "writers/typst/typst.h"

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

TEST_F(Pandoc, ConvertsUsualFormulas) {
  const Formulas formulas =
      convert_formulas({"$t \\propto d^2$", "$n\\log n$", "$$\\sum_{i=1}^n x_i$$",
                        "$\\mathcal{O}(n^2)$", "$\\begin{pmatrix}a&b\\end{pmatrix}$"});
  EXPECT_EQ(formulas.size(), 5u);
  EXPECT_EQ(formulas.at("$t \\propto d^2$").mathml,
            "<mrow><mi>t</mi><mo>∝</mo><msup><mi>d</mi><mn>2</mn></msup></mrow>");
  EXPECT_EQ(formulas.at("$t \\propto d^2$").typst, "t prop d^2");
  EXPECT_THAT(formulas.at("$n\\log n$").mathml, HasSubstr("<mspace width=\"0.1667em\">"));
  EXPECT_THAT(formulas.at("$$\\sum_{i=1}^n x_i$$").mathml, HasSubstr("<munderover>"));
}

TEST_F(Pandoc, ConvertsFormulasAsPeopleWriteThem) {
  const Formulas formulas =
      convert_formulas({"$\\boxed{x_1}$", "$\\text{batch\\_size}$", "$\\bigl(a\\bigr)$",
                        "$$\\begin{aligned}a&=b\\\\c&=d\\end{aligned}$$",
                        "$$\\begin{gathered}a\\\\b\\end{gathered}$$"});
  EXPECT_EQ(formulas.size(), 5u);
  EXPECT_EQ(formulas.at("$\\boxed{x_1}$").typst, "#box(stroke: 0.5pt, inset: 3pt, [$x_1$])");
  EXPECT_THAT(formulas.at("$\\boxed{x_1}$").mathml, HasSubstr("<mrow class=\"boxed\">"));
  EXPECT_EQ(formulas.at("$\\text{batch\\_size}$").typst, "upright(\"batch_size\")");
  EXPECT_EQ(formulas.at("$\\bigl(a\\bigr)$").typst, "lr(size: #120%, \\() a lr(size: #120%, \\))");
}

/// Pandoc knows these signs by names that Typst no longer has.
TEST_F(Pandoc, WritesSignsThatTypstKnowsByNoName) {
  EXPECT_EQ(convert_formulas({"$a \\odot b$"}).at("$a \\odot b$").typst, "a ⊙ b");
  EXPECT_EQ(convert_formulas({"$\\text{sect} \\cap_1$"}).at("$\\text{sect} \\cap_1$").typst,
            "upright(\"sect\") ∩_1");
}

TEST_F(Pandoc, KeepsFormulasThatOnlyTypstRefuses) {
  const Formulas formulas = convert_formulas({"$√$", "$a$"});
  EXPECT_EQ(formulas.at("$√$").typst, "");
  EXPECT_THAT(formulas.at("$√$").mathml, HasSubstr("√"));
  EXPECT_EQ(formulas.at("$a$").typst, "a");
}

TEST_F(Pandoc, EscapesMarkupAndCode) {
  const Formulas formulas = convert_formulas({"$\\text{</math><script>\\#read(\"x\")}$", "$a<b$"});
  EXPECT_EQ(formulas.at("$a<b$").mathml, "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>");
  const Formula& text = formulas.at("$\\text{</math><script>\\#read(\"x\")}$");
  EXPECT_EQ(text.mathml.find("<script"), std::string::npos);
  EXPECT_EQ(text.typst, "upright(\"</math><script>#read(\\\"x\\\")\")");
}

/// The formulas contain primitive commands of TeX, definitions, comments, Typst code, links,
/// unknown commands, marks that change the direction of text, too deep nesting or too many letters.
TEST_F(Pandoc, RefusesHarmfulFormulas) {
  std::string deep = "x";
  for (int i = 0; i < 100; ++i) deep = "\\frac{1}{" + deep + "}";
  const Formulas formulas = convert_formulas({"$\\input{/etc/passwd}$",
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
                                              "$\\phantom{x}$",
                                              "$\\label{x}y$",
                                              "$\\unknown$",
                                              "$\\boxed{\\text{#x}}$",
                                              "$\\boxed{\\def\\a{b}}$",
                                              "$\\text{#x}$",
                                              "$\\text{a_b}$",
                                              "$a \\& b$",
                                              "$x\u202ey$",
                                              "$x\x01y$",
                                              "$x\\$",
                                              "${$",
                                              "$" + deep + "$",
                                              "$" + std::string(5000, 'x') + "$"});
  for (const auto& [source, formula] : formulas) ADD_FAILURE() << source << " → " << formula.typst;
}

/// The formulas have two scripts at one place, unpaired brackets, environments of a whole line,
/// commands of packages that the report does not load, or more cells than an array has columns.
TEST_F(Pandoc, RefusesFormulasThatLatexCannotRead) {
  const Formulas formulas = convert_formulas(
      {"$x^a^b$", "$x_{a}_{b}$", "$x^2'$", "$x_{y^a^b}$", "$x^\\mathbf{a}^b$", "$\\left(a$",
       "$\\begin{align}a&=b\\end{align}$", "$x\\limits_a$", "$\\symbf{a}$", "$\\sqrt$",
       "$\\begin{array}{l}a&b\\end{array}$", "$\\begin{cases}a&b\\\\c&d&e\\end{cases}$",
       "$\\begin{array}{ll}\\begin{array}{c}a&b\\end{array}&c\\end{array}$"});
  for (const auto& [source, formula] : formulas) ADD_FAILURE() << source << " → " << formula.typst;
  EXPECT_EQ(
      convert_formulas({"$x^{a^b}$", "${x^a}^b$", "$x_a^b$", "$f'^2$", "$\\left\\{a^2\\right\\}^2$",
                        "$\\sum\\limits_a^b x$", "$\\begin{array}{l@{}c|r}a&b&c\\\\d\\end{array}$",
                        "$\\begin{array}{c}\\begin{pmatrix}a&b\\end{pmatrix}\\end{array}$"})
          .size(),
      8u);
}

TEST_F(Pandoc, ConvertsFormulasBesideAnEndlessOne) {
  std::string slow = "x";
  for (int i = 0; i < 150; ++i) slow = "\\left(" + slow;
  const Formulas formulas = convert_formulas({"$" + slow + "$", "$a_1 < b$"});
  EXPECT_TRUE(formulas.contains("$a_1 < b$"));
}

std::vector<SiteRun> runs_with_note(const std::string& note) {
  std::vector<SiteRun> runs{
      {sample_summary(sample_document(), "gpu/2025/1-a"), sample_document(), "{}"}};
  runs[0].document.sections.front().parts.front().note = AuthorNote{note};
  return runs;
}

const AuthorNote& note_of(const std::vector<SiteRun>& runs) {
  return *runs[0].document.sections.front().parts.front().note;
}

TEST(NoteFormulas, StayTexWithANoticeIfTheToolFails) {
  std::vector<SiteRun> runs = runs_with_note("so $a_1 < z$");
  FakeChartTool tool;
  EXPECT_EQ(convert_note_formulas(runs, tool).failure,
            "formulas of notes are shown as TeX: this tool does not convert formulas");
  EXPECT_THAT(markdown_to_html(note_of(runs).markdown, note_of(runs).formulas),
              HasSubstr("<code>a_1 &lt; z</code>"));
}

class HalfConverter : public FakeChartTool {
 public:
  Formulas convert_formulas(const std::set<std::string>&) override {
    return {{"$a_1$", {"<mi>a</mi>", ""}}, {"$b_1$", {"<mi>b</mi>", "b_1"}}};
  }
};

TEST(NoteFormulas, NameTheFileAndLineOfWhatAFormatCannotShow) {
  std::vector<SiteRun> runs = runs_with_note("$a_1$ $b_1$ $c_1$");
  runs[0].document.sections.front().parts.front().note->formula_places = {
      {"$a_1$", "n.md:1"}, {"$b_1$", "n.md:2"}, {"$c_1$", "n.md:3"}};
  HalfConverter tool;
  EXPECT_THAT(
      convert_note_formulas(runs, tool).refusals,
      testing::ElementsAre("n.md:1: $a_1$ cannot be typeset and is shown as code in report.pdf",
                           "n.md:3: $c_1$ cannot be typeset and is shown as code"));
  const Document& document = runs[0].document;
  EXPECT_THAT(report_typst(document, {}, {}), HasSubstr("#raw(\"a_1\")"));
  EXPECT_THAT(markdown_to_html(note_of(runs).markdown, note_of(runs).formulas),
              HasSubstr("alttext=\"a_1\""));
}

TEST(NoteFormulas, NeedNoToolIfSectionsHaveThem) {
  std::vector<SiteRun> runs = runs_with_note("both take $2 P$");
  FakeChartTool tool;
  EXPECT_THAT(convert_note_formulas(runs, tool).failure, IsEmpty());
}

}  // namespace
}  // namespace labreport::note_formulas_test
