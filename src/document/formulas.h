// Formulas: TeX cut out of Markdown before its own parser can take `_`, `*` and `\` for marks, and
// the forms that pages and Typst take. Pandoc made these (site/run_pandoc.py): of those in sections
// ahead of time, of those in notes for a render.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

struct MathSpan {
  std::string tex;
  bool display = false;  ///< `$$…$$`, a line of its own; else `$…$`.
  int line = 0;          ///< Of the Markdown in which it begins, from 1.

  std::string source() const;  ///< As it was written, dollars included.
};

/// Markdown with a mark in place of each span; marks are letters to Markdown.
struct CutMarkdown {
  std::string markdown;
  std::vector<MathSpan> spans;
};

/// A piece of text between marks, or a mark.
struct CutPiece {
  std::string text;
  const MathSpan* span = nullptr;  ///< Set: the piece is this span.
};

/// Pandoc's rule: the opening `$` stands before, the closing `$` after something that is no space,
/// and no digit follows; nothing spans a blank line. `\$` is a dollar, and code keeps its dollars.
CutMarkdown cut_math(std::string_view markdown);

/// A text of the parsed Markdown taken apart at its marks.
std::vector<CutPiece> at_marks(std::string_view text, const std::vector<MathSpan>& spans);

/// The text with every span as it was written, dollars included.
std::string with_math_source(std::string_view text, const std::vector<MathSpan>& spans);

struct Formula {
  std::string mathml;  ///< The inside of a <math> element.
  std::string typst;   ///< What stands between dollars.

  bool operator==(const Formula&) const = default;
};

/// By the source with its dollars: "$x^2$". What stands here is also safe to hand to LaTeX with
/// amsmath as it was written: pandoc knows each of its commands, and none is defined in it.
using Formulas = std::map<std::string, Formula, std::less<>>;

/// A section's (a test renews formulas.json when these change) or else one of `more`; null for what
/// is to be shown as code.
const Formula* find_formula(const MathSpan& span, const Formulas& more);

/// Throws `Error` for what `formulas_json` does not write.
Formulas parse_formulas(std::string_view json);
std::string formulas_json(const Formulas& formulas);

}  // namespace labreport
