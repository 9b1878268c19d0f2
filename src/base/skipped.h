// What was left out because it could not be read.
#pragma once

#include <string>

namespace labreport {

/// Says the line on stderr, once however often it is met, and remembers that a part is missing: the
/// program's status is then 1 at best.
void skip(const std::string& line);

/// Whether anything was skipped.
bool has_skipped();

}  // namespace labreport
