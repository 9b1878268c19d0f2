// Small helpers for what an author typed.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Lines end in '\n' alone; a byte order mark and control characters are gone, tabs stay.
std::string clean_text(std::string_view text);

/// Without <!-- comments -->, also one that is never closed; line ends inside them stay, so that
/// lines keep their numbers.
std::string without_comments(std::string_view text);

}  // namespace labreport
