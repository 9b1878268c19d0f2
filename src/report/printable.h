// Names that could move a terminal's cursor or recolour its screen.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// Control characters (C0, DEL, C1) as U+FFFD; those of `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace labreport
