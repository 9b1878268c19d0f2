// Writes any text as Typst source that shows exactly this text.
//
// Control characters and marks that change the direction of text are left out, and line ends become
// spaces. In text and code long words may break.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Writes a string literal with its quotes.
std::string typst_string(std::string_view text);

/// Writes a string literal that keeps line ends.
std::string typst_lines(std::string_view text);

/// Writes markup and escapes every special character; a number stays on a line with its unit.
std::string typst_text(std::string_view text);

/// Writes verbatim text within a line.
std::string typst_code(std::string_view text);

}  // namespace labreport
