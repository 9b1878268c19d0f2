// Cuts TeX formulas out of Markdown before its parser can take their `_`, `*` and `\` for markup,
// and finds their converted forms. Pandoc converts formulas to MathML for pages and to Typst for
// PDFs (site/run_pandoc.py): those of sections ahead of time, those of notes with each report.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// A formula in the text of a Markdown file.
struct MathSpan {
  std::string tex;
  bool is_display = false;  ///< True for `$$…$$`, a line of its own; false for `$…$`.
  int line = 0;             ///< The line of the Markdown, from 1, on which the formula begins.

  std::string source() const;  ///< Returns the TeX with its dollars.
};

/// Markdown with a mark in place of each formula. The Markdown parser treats marks as letters.
struct CutMarkdown {
  std::string markdown;
  std::vector<MathSpan> spans;
};

/// A piece of a text between two marks, or the formula of a mark.
struct CutPiece {
  std::string text;
  const MathSpan* span = nullptr;  ///< The formula; null if the piece is text.
};

/// Cuts formulas by pandoc's rule: no space follows the opening `$` or precedes the closing one, no
/// digit follows the closing one, and no formula contains a blank line. `\$` is a dollar, and code
/// keeps its dollars.
CutMarkdown cut_math(std::string_view markdown);

/// Cuts the formulas of Markdown that a person wrote: those that `cut_math` finds, and those in
/// `\(…\)`, `\[…\]` and GitHub's $`…`$. Words may stand between escaped brackets, too. A formula
/// has a command, a script or a relation; in `\(…\)` it is enough that no two letters stand side by
/// side.
CutMarkdown cut_author_math(std::string_view markdown);

/// Splits a text of the parsed Markdown at its marks.
std::vector<CutPiece> split_at_marks(std::string_view text, const std::vector<MathSpan>& spans);

/// Replaces the marks in a text by the formulas' sources with their dollars.
std::string with_math_source(std::string_view text, const std::vector<MathSpan>& spans);

struct Formula {
  std::string mathml;  ///< The inside of a <math> element.
  std::string typst;   ///< The text between dollars.

  bool operator==(const Formula&) const = default;
};

/// Formulas by their sources with dollars: "$x^2$". Every source is safe in LaTeX with amsmath,
/// because pandoc knows all of its commands, and it defines none.
using Formulas = std::map<std::string, Formula, std::less<>>;

/// Finds the forms of a formula among those of the sections (formulas.json, which a test renews),
/// else in `note_formulas`. Null if there are none; the formula is then shown as code.
const Formula* find_formula(const MathSpan& span, const Formulas& note_formulas);

/// Reads what `formulas_json` writes; throws `Error` for other text.
Formulas parse_formulas(std::string_view json);

/// Writes formulas as JSON: an object by source, with the forms "mathml" and "typst".
std::string formulas_json(const Formulas& formulas);

}  // namespace labreport
