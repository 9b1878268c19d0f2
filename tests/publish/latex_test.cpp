// Tests what the pandoc that setup/install installs writes as LaTeX.
#include <gmock/gmock.h>

#include "base/error.h"
#include "notes/note.h"
#include "publish/chart_renderer.h"
#include "writers/markdown/paper.h"

namespace labreport::latex_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Latex : public testing::Test {
 protected:
  void SetUp() override {
    try {
      ChartProcess(LABREPORT_SOURCE_DIR).render_latex({});
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static std::string body_of(const Part& part) {
    const std::string text =
        ChartProcess(LABREPORT_SOURCE_DIR).render_latex({part_paper(part, {}, {}, {})}).front();
    const std::string_view preamble_end = "\\makeatother\n";
    EXPECT_NE(text.find(preamble_end), text.npos);
    return text.substr(text.find(preamble_end) + preamble_end.size());
  }

  static std::string body_of(const std::string& note, const Formulas& formulas = {}) {
    Part part;
    part.note = AuthorNote{note, true, formulas};
    return body_of(part);
  }
};

/// The note is given to the writer as it is: no reader of notes has made it safe.
TEST_F(Latex, HoldsNothingRawOfANote) {
  const std::string text = body_of(
      "$\\input{a}$ $$\\input{b}$$ $`\\input{c}`$ \\input{d} \\write18{e}\n\n"
      "`\\input{f}`{=latex} [\\input{g}](x \"\\input{h}\") <b>\\input{i}</b>\n\n"
      "```{=latex}\n\\input{j}\n```\n\n```math\n\\input{k}\n```\n\n"
      "<script>\\input{l}</script>\n\n---\nformulas: [$\\input{m}$]\n---\n\n"
      "\\begin{verbatim}\n\\input{n}\n\\end{verbatim}\n\n"
      "| \\input{o} |\n|---|\n| $\\input{p}$ |\n\n![\\input{q}](\\input{r}.png)\n");
  EXPECT_THAT(text, Not(HasSubstr("\\input")));
  EXPECT_THAT(text, Not(HasSubstr("\\write")));
  EXPECT_THAT(text, Not(HasSubstr("verbatim}")));
  EXPECT_THAT(text, Not(HasSubstr("<")));
  for (const char letter : std::string("abcdfgijkmnopqr")) {
    EXPECT_THAT(text, HasSubstr("input\\{" + std::string(1, letter) + "\\}"));
  }
}

TEST_F(Latex, HoldsTheFormulasThatAreKnown) {
  const Formulas known{{"$$y_1$$", {}}, {"$y_1$", {}}, {"$2 ± x$", {}}};
  EXPECT_THAT(body_of("so $y_1$ and $y_2$", known), HasSubstr("so \\(y_1\\) and \\texttt{y\\_2}"));
  EXPECT_THAT(body_of("so $$y_1$$", known), HasSubstr("\\[y_1\\]"));
  EXPECT_THAT(body_of("so **$$y_1$$**", known), HasSubstr("\\textbf{\\(y_1\\)}"));
  EXPECT_THAT(body_of("| a |\n|---|\n| $$y_1$$ |", known), HasSubstr("\n\\(y_1\\) \\\\"));
  EXPECT_THAT(body_of("$2 ± x$", known), HasSubstr("\\(2 ± x\\)"));
}

TEST_F(Latex, BreaksLongWordsBehindSigns) {
  EXPECT_THAT(
      body_of("a/b at::native::vectorized_kernel"),
      HasSubstr("a/b at::\\hspace{0pt}native::\\hspace{0pt}vectorized\\_\\hspace{0pt}kernel"));
  EXPECT_THAT(body_of("`git  log`"), HasSubstr("\\texttt{git\\ \\ log}"));
}

TEST_F(Latex, FitsOnlyAWideTableToTheLine) {
  TableView table{.slug = "times", .title = "Times", .columns = {}, .rows = {}};
  table.columns = {{"size", "", Align::kLeft}};
  table.rows = {{{"small"}}, {{"xl"}, {}, "out of memory"}};
  const auto text_with = [&table](int columns) {
    for (int i = 0; i < columns; ++i) {
      table.columns.push_back({"step " + std::to_string(i), "ms"});
      table.rows[0].cells.emplace_back(Value(123.4, 5.6));
    }
    Part part;
    part.tables = {table};
    return body_of(part);
  };
  EXPECT_THAT(text_with(2), HasSubstr("{@{}lrr@{}}\n\\caption{Times}"));
  EXPECT_THAT(text_with(0), HasSubstr("xl & \\multicolumn{2}{l@{}}{%\nout of memory} \\\\"));
  table.rows[0].flags = {"out of memory in optimizer"};
  EXPECT_THAT(text_with(0),
              HasSubstr("\\multicolumn{3}{@{}l@{}}{%\n\\quad out of memory in optim"));
  EXPECT_THAT(text_with(12), ContainsRegex("raggedleft.*real\\{0\\.0"));
}

TEST_F(Latex, LimitsTheNestingOfLists) {
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += std::string(static_cast<std::size_t>(2 * i), ' ') + "- x\n";
  const std::string text = body_of(deep);
  std::size_t lists = 0;
  for (std::size_t at = 0; (at = text.find("begin{itemize}", at)) != text.npos; ++at) ++lists;
  EXPECT_EQ(lists, 3u);
}

TEST_F(Latex, SaysWhatItCannotShow) {
  EXPECT_THAT(body_of("![Two dots](dots.png)"), HasSubstr("{dots.png}"));
  EXPECT_THAT(body_of("![a](dots.png \"width=320\")"), HasSubstr("width=0.5\\linewidth"));
  EXPECT_THAT(body_of("![a](dots.png \"width=30%\")"), HasSubstr("width=0.3\\linewidth"));
  EXPECT_THAT(body_of("![Two dots](dots.svg)"), HasSubstr("Picture: Two dots (dots.svg, a kind"));
  EXPECT_THAT(body_of("~~wrong~~"), HasSubstr("{[}wrong (struck out){]}"));
}

}  // namespace
}  // namespace labreport::latex_test
