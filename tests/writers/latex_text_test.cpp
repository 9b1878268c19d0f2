#include "writers/latex/latex_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace labreport {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LatexText, NoSignOfAsciiIsACommand) {
  EXPECT_EQ(latex_text("\\input{/etc/passwd}"),
            "\\textbackslash{}input\\{/\\allowbreak{}etc/\\allowbreak{}passwd\\}");
  EXPECT_EQ(latex_text("a_b $1 & #2 ^ ~ 5%"),
            "a\\_b \\$1 \\& \\#2 \\textasciicircum{} \\textasciitilde{} 5\\%");
  EXPECT_EQ(latex_text("<|\"`>"),
            "\\textless{}\\textbar{}\\textquotedbl{}\\textasciigrave{}\\textgreater{}");
  EXPECT_EQ(latex_text("[x]"), "{[}x{]}");
}

TEST(LatexText, SignsStayWhatTheyAre) {
  EXPECT_EQ(latex_text("a-b --only '' ,,"), "a-b -{}-only '{}' ,{},");
}

TEST(LatexText, KnowsTheSignsOfAReport) {
  EXPECT_EQ(latex_text("2 × 3 ± 1"), "2 \\ensuremath{\\times} 3 \\ensuremath{\\pm} 1");
  EXPECT_EQ(latex_text("2⁻²⁴"), "2\\ensuremath{^{-}}\\ensuremath{^{2}}\\ensuremath{^{4}}");
  EXPECT_EQ(latex_text("μs µs – ≥ √"),
            "\\ensuremath{\\mu}s \\ensuremath{\\mu}s -- \\ensuremath{\\geq} \\ensuremath{\\surd}");
  EXPECT_EQ(latex_text("Gödel’s Łukasiewicz"), "Gödel\\textquoteright{}s Łukasiewicz");
}

TEST(LatexText, ShowsWhatItCannotSet) {
  EXPECT_EQ(latex_text("\u202e"), "\\texttt{{[}U+202E{]}}\\allowbreak{}");
  EXPECT_EQ(latex_text("\x01"), "\\texttt{{[}U+0001{]}}\\allowbreak{}");
  EXPECT_EQ(latex_text("\x7f"), "\\texttt{{[}U+007F{]}}\\allowbreak{}");
  EXPECT_EQ(latex_text("漢"), "\\texttt{{[}U+6F22{]}}\\allowbreak{}");
  EXPECT_EQ(latex_text("😀"), "\\texttt{{[}U+1F600{]}}\\allowbreak{}");
  EXPECT_EQ(latex_text("\xff\xc3"),
            "\\texttt{{[}U+FFFD{]}}\\allowbreak{}\\texttt{{[}U+FFFD{]}}\\allowbreak{}");
}

TEST(LatexText, LinesAreOneAndNoneIsTooLongToRead) {
  EXPECT_EQ(latex_text("a\nb\tc"), "a b c");
  const std::string text = latex_text(std::string(10000, '\\'));
  EXPECT_THAT(text, HasSubstr("\\allowbreak{}"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    EXPECT_LT(end - begin, 10000u);
    begin = end + 1;
  }
}

TEST(LatexText, ATitleEndsSomewhere) {
  EXPECT_EQ(latex_title("NVIDIA H200"), "NVIDIA H200");
  const std::string title = latex_title(std::string(10000, 'x'));
  EXPECT_LT(title.size(), 2000u);
  EXPECT_TRUE(title.ends_with("\\textellipsis{}"));
}

TEST(LatexText, AListingKeepsItsLines) {
  const std::string listing = latex_listing("make report\n  a  b\n");
  EXPECT_THAT(listing, HasSubstr("\\texttt{make\\ \\allowbreak{}report}\\\\\n"));
  EXPECT_THAT(listing, HasSubstr("\\texttt{\\ \\allowbreak{}\\ \\allowbreak{}a"));
  EXPECT_THAT(listing, Not(HasSubstr("verbatim")));
}

}  // namespace
}  // namespace labreport
