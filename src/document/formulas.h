// Formulas are TeX that is cut out of Markdown before the Markdown parser can take `_`, `*` and `\`
// for markup. Pandoc converts them to MathML for pages and to Typst (site/run_pandoc.py): those of
// sections ahead of time, those of notes during a render.
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

/// Markdown with a mark in place of each span; the Markdown parser treats marks as letters.
struct CutMarkdown {
  std::string markdown;
  std::vector<MathSpan> spans;
};

/// A piece of text between marks, or a mark.
struct CutPiece {
  std::string text;
  const MathSpan* span = nullptr;  ///< Set if the piece is a span.
};

/// Cuts math by pandoc's rule: no space follows the opening `$` or precedes the closing one, no
/// digit follows the closing one, and no math contains a blank line. `\$` is a dollar, and code
/// keeps its dollars.
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

/// Formulas by their source with its dollars: "$x^2$". Every source is safe in LaTeX with amsmath:
/// pandoc knows all of its commands, and it defines none.
using Formulas = std::map<std::string, Formula, std::less<>>;

/// Finds a formula of the sections (formulas.json, which a test renews) or else one of `more`. Null
/// if there is none: then the span is shown as code.
const Formula* find_formula(const MathSpan& span, const Formulas& more);

/// Reads what `formulas_json` writes; throws `Error` for other text.
Formulas parse_formulas(std::string_view json);
std::string formulas_json(const Formulas& formulas);

}  // namespace labreport
