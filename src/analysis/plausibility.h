// Checks from first principles whether a run's numbers can be true.
#pragma once

#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// A number that is impossible, or suspicious.
struct Finding {
  bool is_error = false;  ///< True if the number is impossible; false if it is suspicious.
  std::string cell_id;
  std::string text;  ///< One line.
};

/// Checks every successful launch of the run:
///
/// - work per second against the rate of the fastest GEMM: a warning above 1.0 ×, an error
/// above 1.1 × on a
///   GPU and above 10 × on a CPU;
/// - memory peaks against the bytes that must be resident and against the device's memory;
/// - times of the device's clock against those of the host's;
/// - the number of samples against the number of steps, and how much the steps vary;
/// - a profile's kernels against its step.
std::vector<Finding> check_plausibility(const Run& run);

}  // namespace labreport
