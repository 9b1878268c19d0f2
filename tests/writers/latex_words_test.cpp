#include "writers/latex/latex_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LatexWords, KnowsTheMarksWithinALine) {
  EXPECT_EQ(latex_line("a *b* **c** `d_e`"), "a \\emph{b} \\textbf{c} \\texttt{d\\_e}");
  EXPECT_EQ(latex_line("[a_b](https://example.org/x_y%20#z)"),
            "\\href{https://example.org/x_y\\%20\\#z}{a\\_b}");
}

TEST(LatexWords, FormulasThatPandocKnowsStandAsTheyWereWritten) {
  const Formulas known = {{"$\\frac{a_1}{2} \\le x$", {}}, {"$a ≤ b$", {}}, {"$$\nx^2\n$$", {}}};
  EXPECT_EQ(latex_markdown("so $\\frac{a_1}{2} \\le x$.", known),
            "so $\\frac{a_1}{2} \\le x$.\n\n");
  EXPECT_EQ(latex_markdown("$a ≤ b$", known), "$a \\ensuremath{\\leq} b$\n\n");
  EXPECT_THAT(latex_markdown("thus\n\n$$\nx^2\n$$\n", known), HasSubstr("\\[ x^2 \\]"));
}

TEST(LatexWords, OthersAreCode) {
  EXPECT_EQ(latex_line("$\\input{x}$"), "\\texttt{\\textbackslash{}input\\{x\\}}");
  EXPECT_THAT(latex_markdown("$☃$", {{"$☃$", {}}}), HasSubstr("\\texttt{"))
      << "TeX has no such sign";
}

TEST(LatexWords, ListsNestAndKeepTheirNumbers) {
  const std::string list = latex_markdown("3. three\n   - inner\n4. four");
  EXPECT_THAT(list, HasSubstr("\\item[3.] three"));
  EXPECT_THAT(list, HasSubstr("\\item[4.] four"));
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += std::string(static_cast<std::size_t>(2 * i), ' ') + "- x\n";
  const std::string nested = latex_markdown(deep);
  std::size_t lists = 0;
  for (std::size_t at = 0; (at = nested.find("\\begin{itemize}", at)) != nested.npos; ++at) ++lists;
  EXPECT_LE(lists, 4u) << "LaTeX bears no more";
}

TEST(LatexWords, APictureThatTexCannotPlaceIsItsWords) {
  EXPECT_THAT(latex_markdown("![Two dots](figures/dots.png)"),
              HasSubstr("keepaspectratio]{figures/dots.png}\n"));
  EXPECT_THAT(latex_markdown("See ![Two dots](figures/dots.jpg)."),
              HasSubstr("keepaspectratio]{figures/dots.jpg}."));
  EXPECT_THAT(
      latex_markdown("![Two dots](figures/dots.svg)"),
      HasSubstr("{[}Picture: Two dots (\\texttt{figures/\\allowbreak{}dots.\\allowbreak{}svg}, a "
                "kind that LaTeX cannot place: save it as PNG or JPEG){]}"));
  EXPECT_EQ(latex_markdown("![x](a}\\input{b.png)"), "x\n\n");
}

TEST(LatexWords, TablesHaveRulesAndNoTitle) {
  const std::string table = latex_markdown("| a | b |\n|---|--:|\n| x | 1 |");
  EXPECT_THAT(table, HasSubstr("\\begin{tabular}{lr}\n\\toprule\n\\textbf{a} & \\textbf{b}"));
  EXPECT_THAT(table, HasSubstr("x & 1 \\tabularnewline\n\\bottomrule"));
}

}  // namespace
}  // namespace labreport
