// Time that a rank spent on computation, on communication, and on both at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

/// An interval of a step, relative to its start.
struct Interval {
  std::string phase;  ///< The computing phase; empty for all-reduces.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// The intervals of one step; each lane is in order of start.
struct Lanes {
  std::vector<Interval> compute, communication;
  std::int64_t step_ns = 0;
};

struct Overlap {
  std::int64_t communication_ns = 0;  ///< Communication was in progress.
  std::int64_t both_ns = 0;           ///< Communication and computation overlapped.
};

/// Adds up the lanes' times. Overlapping intervals of one lane count once.
Overlap overlap(const Lanes& lanes);

/// Splits the profile of one step on a GPU: NCCL's kernels communicate, all other activity
/// computes. The step starts with the first activity of its forward pass; earlier activity, such as
/// a barrier, is left out.
Lanes lanes_of(const Trace& trace);

/// Merges computing intervals of one phase whose gap is shorter than `gap_ns`.
std::vector<Interval> merged(const std::vector<Interval>& intervals, std::int64_t gap_ns);

/// Merges intervals with the smallest gap that leaves at most `most` of them.
std::vector<Interval> at_most(std::vector<Interval> intervals, std::size_t most);

}  // namespace labreport
