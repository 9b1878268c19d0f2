// Checks from first principles whether a run's numbers can be true.
#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

struct Finding {
  bool error = false;  ///< True if the number is impossible; false if suspicious.
  std::string cell;    ///< The cell's id.
  std::string text;    ///< One line.
};

/// Checks work per second against the measured limits (above 1.0 × is a warning, above 1.1 × an
/// error, but 10 × on a CPU), memory peaks against resident bytes and the device's memory, the
/// device's clock against the host's, the number of samples against the number of steps, and a
/// profile's kernels against its step.
std::vector<Finding> check_plausibility(const Run& run);

}  // namespace labreport
