// Writes flags of labreport as variables on the command line of `make report`.
#pragma once

#include <string>
#include <vector>

#include "results/request.h"

namespace labreport {

/// Returns the Makefile's variable for a flag: "--model-args" → "MODEL_ARGS"; empty if the Makefile
/// has none.
std::string makefile_variable(const std::string& flag);

/// Returns the variables after "make report", with a space before each: " SIZES=small,large
/// ARGS=\"--steps 3\"". Flags without a variable of their own go into ARGS.
std::string makefile_arguments(const std::vector<GivenFlag>& flags);

}  // namespace labreport
