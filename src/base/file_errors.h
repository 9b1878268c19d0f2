// Says what went wrong with a file or a folder, and what to do.
#pragma once

#include <exception>
#include <string>

namespace labreport {

/// Returns the remedy for a call that failed with this `errno`: "free some space".
std::string file_remedy(int code);

/// Returns `error.what()` as a line for users. What the standard library says of a path, such as
/// "filesystem error: cannot copy: …", becomes "cannot read or write PATH: <reason>; <remedy>".
std::string error_line(const std::exception& error);

}  // namespace labreport
