// Replaces invisible characters, which could move a terminal's cursor, recolor its screen, end a C
// string or make an SVG invalid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace labreport {

/// Returns the length in bytes of a control character (C0, DEL, C1) at the beginning of `text`; 0
/// if there is none.
std::size_t control_length(std::string_view text);

/// Replaces these characters with U+FFFD: control characters (C0, DEL, C1), characters that reorder
/// text (U+202A–202E, U+2066–2069), and U+FFFE and U+FFFF, which XML does not allow. Bytes in
/// `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

/// The characters that a document's text may keep.
inline constexpr std::string_view kLinesAndTabs = "\n\t";

}  // namespace labreport
