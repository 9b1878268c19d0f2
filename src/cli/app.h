// Runs the command line of labreport.
#pragma once

#include <string>
#include <vector>

namespace labreport {

/// Runs one invocation and returns its exit status (base/error.h). Prints a failure as one line on
/// stderr.
int run_app(const std::vector<std::string>& argv);

}  // namespace labreport
