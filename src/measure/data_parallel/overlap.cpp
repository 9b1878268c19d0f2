#include "measure/data_parallel/overlap.h"

#include <algorithm>

#include "measure/kernels/attribution.h"

namespace labreport {
namespace {

constexpr std::int64_t kSmallestGapNs = 1'000;
constexpr const char* kForwardPhase = "forward";

using Span = std::pair<std::int64_t, std::int64_t>;

/// Returns disjoint spans that cover the same time, in order.
std::vector<Span> merged_spans(const std::vector<Interval>& intervals) {
  std::vector<Span> spans;
  for (const Interval& interval : intervals) spans.emplace_back(interval.start_ns, interval.end_ns);
  std::ranges::sort(spans);
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (merged.empty() || span.first > merged.back().second) {
      merged.push_back(span);
    } else {
      merged.back().second = std::max(merged.back().second, span.second);
    }
  }
  return merged;
}

}  // namespace

Overlap overlap_of(const Lanes& lanes) {
  const std::vector<Span> communication = merged_spans(lanes.communication);
  const std::vector<Span> compute = merged_spans(lanes.compute);
  Overlap found;
  for (const auto& [start, end] : communication) found.communication_ns += end - start;
  for (auto communicating = communication.begin(), computing = compute.begin();
       communicating != communication.end() && computing != compute.end();) {
    const std::int64_t start = std::max(communicating->first, computing->first);
    const std::int64_t end = std::min(communicating->second, computing->second);
    found.overlap_ns += std::max<std::int64_t>(0, end - start);
    (communicating->second < computing->second ? communicating : computing)++;
  }
  return found;
}

Lanes lanes_of(const Trace& trace) {
  Lanes lanes;
  std::vector<Attribution> kernels = attribute(trace);
  std::erase_if(kernels, [](const Attribution& kernel) { return !on_device(*kernel.activity); });
  if (kernels.empty()) return lanes;
  auto begin = std::ranges::find(kernels, kForwardPhase, &Attribution::phase);
  if (begin == kernels.end()) begin = kernels.begin();
  const std::int64_t step_start_ns = begin->activity->start_ns;
  for (auto kernel = begin; kernel != kernels.end(); ++kernel) {
    const TraceEvent& event = *kernel->activity;
    const bool communicates = event.kind == TraceKind::kKernel && event.name.starts_with("nccl");
    auto& lane = communicates ? lanes.communication : lanes.compute;
    lane.push_back({communicates ? "" : kernel->phase, event.start_ns - step_start_ns,
                    event.end_ns() - step_start_ns});
    lanes.step_ns = std::max(lanes.step_ns, event.end_ns() - step_start_ns);
  }
  return lanes;
}

std::vector<Interval> merge_close(const std::vector<Interval>& intervals, std::int64_t gap_ns) {
  std::vector<Interval> merged;
  for (const Interval& interval : intervals) {
    const bool joins = !merged.empty() && merged.back().phase == interval.phase &&
                       interval.start_ns - merged.back().end_ns < gap_ns;
    if (!joins) {
      merged.push_back(interval);
    } else {
      merged.back().end_ns = std::max(merged.back().end_ns, interval.end_ns);
    }
  }
  return merged;
}

std::vector<Interval> merge_to(std::vector<Interval> intervals, std::size_t limit) {
  if (intervals.size() <= limit) return intervals;
  // Intervals of alternating phases never merge, so the gap is limited by their span.
  const std::int64_t span_ns = intervals.back().end_ns - intervals.front().start_ns;
  for (std::int64_t gap_ns = kSmallestGapNs; intervals.size() > limit && gap_ns <= 2 * span_ns;
       gap_ns *= 2) {
    intervals = merge_close(intervals, gap_ns);
  }
  return intervals;
}

}  // namespace labreport
