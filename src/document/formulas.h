// Formulas: TeX cut out of Markdown before its own parser can take `_`, `*` and `\` for marks, and
// the forms that pages and Typst take. Pandoc makes these (site/run_pandoc.py): for sections ahead
// of time, for notes during a render.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

struct MathSpan {
  std::string tex;
  bool display = false;  ///< `$$…$$`, a line of its own; else `$…$`.
  int line = 0;          ///< The line of the Markdown on which it begins, from 1.

  std::string source() const;  ///< The source, dollars included.
};

/// Markdown with a mark in place of each span; Markdown takes marks for letters.
struct CutMarkdown {
  std::string markdown;
  std::vector<MathSpan> spans;
};

/// A piece of text between marks, or a mark.
struct CutPiece {
  std::string text;
  const MathSpan* span = nullptr;  ///< Set if the piece is a span.
};

/// Cuts math by pandoc's rule: the opening `$` is before and the closing `$` after something that
/// is no space, no digit follows, and nothing spans a blank line. `\$` is a dollar, and code keeps
/// its dollars.
CutMarkdown cut_math(std::string_view markdown);

/// Splits a text of the parsed Markdown at its marks.
std::vector<CutPiece> at_marks(std::string_view text, const std::vector<MathSpan>& spans);

/// The text with every span as it was written, dollars included.
std::string with_math_source(std::string_view text, const std::vector<MathSpan>& spans);

struct Formula {
  std::string mathml;  ///< The inside of a <math> element.
  std::string typst;   ///< The text between dollars.

  bool operator==(const Formula&) const = default;
};

/// Formulas by the source with its dollars: "$x^2$". Each is also safe in LaTeX with amsmath as it
/// was written: pandoc knows all of its commands, and it defines none.
using Formulas = std::map<std::string, Formula, std::less<>>;

/// Finds a section's formula (a test renews formulas.json when these change) or else one of `more`;
/// null if the span is shown as code.
const Formula* find_formula(const MathSpan& span, const Formulas& more);

/// Throws `Error` for text that `formulas_json` does not write.
Formulas parse_formulas(std::string_view json);
std::string formulas_json(const Formulas& formulas);

}  // namespace labreport
