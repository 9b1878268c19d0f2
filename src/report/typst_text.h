// Any text as Typst source that shows exactly it.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// A string literal, quotes included. Line ends are spaces; control characters and marks that turn
/// the direction of what follows are left out.
std::string typst_string(std::string_view text);

/// Text in markup: a literal between marks of its own, so that nothing in it means anything to
/// Typst. Numbers keep their units; a word longer than a line may break.
std::string typst_text(std::string_view text);

/// Verbatim text within a line.
std::string typst_code(std::string_view text);

}  // namespace labreport
