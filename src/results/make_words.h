// Writes flags as variables of the Makefile.
#pragma once

#include <string>
#include <vector>

#include "results/request.h"

namespace labreport {

/// Returns the Makefile's variable for a flag: "--model-args" → "MODEL_ARGS"; empty if it has none.
std::string make_variable(const std::string& flag);

/// Writes flags as words for `make report`: " SIZES=small,large ARGS=\"--steps 3\"".
std::string make_words(const std::vector<GivenFlag>& flags);

}  // namespace labreport
