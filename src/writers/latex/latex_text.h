// Text of any origin as LaTeX that pdflatex sets: no character of it is a command.
//
// What the fonts of a plain TeX Live lack is shown as "[U+202E]", marks that turn the direction of
// text and control characters among it.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Words in a paragraph, a heading or a cell. Long words may break; line ends are spaces.
std::string latex_text(std::string_view text);

/// The same, cut where nobody reads on: what TeX writes to a file of its own must fit its buffer.
std::string latex_title(std::string_view text);

/// The same as `latex_text` for verbatim text on one line, in a typewriter face: every space and
/// sign stays.
std::string latex_code(std::string_view text);

/// A listing of whole lines: a block in a typewriter face whose long lines break.
std::string latex_listing(std::string_view text);

/// Takes one character off the front; what is no UTF-8 is U+FFFD, a byte at a time. `text` is not
/// empty.
char32_t take_character(std::string_view& text);

}  // namespace labreport
