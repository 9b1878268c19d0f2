// A profiled step kernel by kernel, where the run holds it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "results/measured_table.h"

namespace labreport::nsys_profile {

struct TracedKernel {
  double start;     ///< ns from the step's first kernel.
  double duration;  ///< ns
  std::optional<std::int64_t> block;
  MeasuredRow about;  ///< Its row of the table "kernels".
};

/// In order of their start; none where the launch was not traced. `launch` has to outlive them.
std::vector<TracedKernel> gpu_trace(const Launch& launch);

}  // namespace labreport::nsys_profile
