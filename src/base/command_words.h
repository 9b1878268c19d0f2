// Commands as people can type them again.
#pragma once

#include <string>
#include <vector>

namespace labreport {

/// One line for a shell: words that it would split or change stand in quotes, but for a leading
/// "~/" that it shall replace.
std::string command_line(const std::vector<std::string>& argv);

}  // namespace labreport
