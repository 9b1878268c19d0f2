// Where a line may end.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// No line ends between a number and its deviation or unit: those spaces become unbreakable.
std::string keep_numbers_whole(std::string_view text);

/// HTML of plain text in which no line ends at a hyphen inside a short word, such as the size
/// "demo-3". The hyphen stays one that can be copied.
std::string whole_words_html(std::string_view text);

}  // namespace labreport
