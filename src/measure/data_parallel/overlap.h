// Time that a rank spent on computation, on communication, and on both at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace_event.h"

namespace labreport {

/// A time span of a step, in nanoseconds since the start of the step.
struct Interval {
  std::string phase;  ///< The computing phase, or the collective; empty for labreport's own
                      ///< all-reduces.
  std::int64_t start_ns = 0, end_ns = 0;
};

/// The start and end of a time span, in the same ns.
using Span = std::pair<std::int64_t, std::int64_t>;

/// Returns disjoint spans that cover the same time, in order.
std::vector<Span> merged_spans(const std::vector<Interval>& intervals);

/// The intervals of one step. Each lane is in order of start.
struct Lanes {
  std::vector<Interval> compute, communication;
  std::int64_t step_ns = 0;
};

struct Overlap {
  std::int64_t communication_ns = 0;  ///< Time with communication in progress.
  std::int64_t overlap_ns = 0;        ///< Time with both communication and computation in progress.
};

/// Adds up the lanes' times. Overlapping intervals of one lane count once.
Overlap overlap_of(const Lanes& lanes);

/// Splits the profile of one step on a GPU: NCCL's kernels communicate, all other activity
/// computes. The step starts with the first activity of its forward pass; earlier activity, such as
/// a barrier, is left out. Without any activity the lanes are empty.
Lanes lanes_of(const Trace& trace);

/// The range that encloses a step of the user's in a profile.
inline constexpr const char* kOwnStepRange = "own step";

/// Splits the profile of a step of the user's, which is that within `kOwnStepRange`. On a GPU it
/// does so as lanes_of(), whichever phases the step has. On a CPU the phases compute, except
/// "other", and Gloo's collectives communicate from their call until they are done.
Lanes lanes_of_own_step(const Trace& trace);

/// Returns what a kernel of NCCL or a range of Gloo does: "all-reduce" for
/// "ncclDevKernel_AllReduce_Sum_f32_RING_LL" and "gloo:all_reduce"; "" for other names.
std::string collective_of(std::string_view name);

/// Merges successive intervals of one phase if the gap between them is shorter than `gap_ns`.
std::vector<Interval> merge_close(const std::vector<Interval>& intervals, std::int64_t gap_ns);

/// Repeats merge_close() with gaps that double from 1 µs, until at most `limit` intervals
/// are left or the gap exceeds the whole step: intervals of alternating phases never merge.
std::vector<Interval> merge_to(std::vector<Interval> intervals, std::size_t limit);

}  // namespace labreport
