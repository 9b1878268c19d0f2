// Writes any text as Typst source that shows exactly it.
//
// Control characters and marks that turn the direction of what follows are left out; line ends are
// spaces. Numbers keep their units, and a word longer than a line may break.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// A string literal, quotes included.
std::string typst_string(std::string_view text);

/// A string literal of several lines, which are kept.
std::string typst_lines(std::string_view text);

/// Text in markup, with every character that is special to Typst escaped.
std::string typst_text(std::string_view text);

/// Verbatim text within a line.
std::string typst_code(std::string_view text);

}  // namespace labreport
