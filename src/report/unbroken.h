// Where a line may end.
#pragma once

#include <string>
#include <string_view>

namespace labreport {

/// No line ends between a number and its deviation or unit: those spaces become unbreakable.
std::string keep_numbers_whole(std::string_view text);

}  // namespace labreport
