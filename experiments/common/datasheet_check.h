// Holds published numbers against the data sheet of the GPU that their table names.
#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Says which numbers of an imported run its GPU cannot reach, one line each: times in which a step
/// would need more than the peak rate of its precision, and peaks above the device's memory. Only
/// the products that any network of this shape needs are counted, with half of causal attention.
std::vector<std::string> beyond_datasheet(const Run& run);

}  // namespace labreport
