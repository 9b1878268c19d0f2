// In what cells that nearly measure the same thing differ.
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// For runs without a cell in common: each cell of A is held against the cell of B that differs
/// from it in the fewest fields. Says which field differs most often among them, and how: "context
/// differs most often: 128 against 512 (in 3 of 4 cells)". Empty where a run has no cell.
std::string most_frequent_difference(const Run& a, const Run& b);

}  // namespace labreport
