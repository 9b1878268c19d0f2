// Whether a run's numbers can be true, from first principles.
#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

struct Finding {
  bool error = false;  ///< Cannot be true; a warning otherwise.
  std::string cell;    ///< Its id.
  std::string text;    ///< One line.
};

/// Work a second against the measured limits (above 1.0 × a warning, above 1.1 × an error), memory
/// peaks against what must be resident and what the device has, clocks against each other, as many
/// samples as steps were asked for, and a profile's kernels against its step.
std::vector<Finding> check_plausibility(const Run& run);

}  // namespace labreport
