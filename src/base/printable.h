// Characters that no reader sees: they move a terminal's cursor, recolor its screen, end a C
// string or void a picture. This is the one place that shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace labreport {

/// The bytes of a control character (C0, DEL, C1) at the beginning of `text`; 0: there is none.
std::size_t control_length(std::string_view text);

/// Control characters (C0, DEL, C1), those that reorder text (U+202A–202E, U+2066–2069) and the two
/// code points that XML lacks as U+FFFD; those of `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

/// What stays in a document's text.
inline constexpr std::string_view kLinesAndTabs = "\n\t";

}  // namespace labreport
