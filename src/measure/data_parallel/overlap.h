// When a rank computed and when it communicated, and how much of both at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

/// A piece of a step's time, from the step's beginning.
struct Stretch {
  std::string phase;  ///< Of what is computed; of all-reduces empty.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// Each lane in order of its start.
struct Lanes {
  std::vector<Stretch> compute, communication;
  std::int64_t step_ns = 0;
};

struct Overlap {
  std::int64_t communication_ns = 0;  ///< Something was on its way.
  std::int64_t both_ns = 0;           ///< And the rank computed meanwhile.
};

/// Stretches of one lane may overlap: time counts once.
Overlap overlap(const Lanes& lanes);

/// From a profile of one step on a GPU: NCCL's kernels communicate, all other activity computes.
/// The step begins with the first activity of its forward; what was before, such as a barrier, is
/// left out.
Lanes lanes_of(const Trace& trace);

/// Computing stretches of one phase that are less than `gap_ns` apart become one.
std::vector<Stretch> merged(const std::vector<Stretch>& stretches, std::int64_t gap_ns);

/// The same with a gap that leaves `most` at most.
std::vector<Stretch> at_most(std::vector<Stretch> stretches, std::size_t most);

}  // namespace labreport
