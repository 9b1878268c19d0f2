#include "measure/data_parallel/overlap.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "measure/kernels/attribution.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::int64_t kSmallestGapNs = 1'000;
constexpr std::string_view kForwardPhase = metric::kForward;
constexpr std::array kComputingPhases{metric::kForward, metric::kLoss, metric::kBackward,
                                      metric::kOptimizer};

std::vector<Attribution> device_activities(const Trace& trace) {
  std::vector<Attribution> kernels = attribute(trace);
  std::erase_if(kernels, [](const Attribution& kernel) { return !on_device(*kernel.activity); });
  return kernels;
}

/// Returns the lanes of the activities that begin at `step_start_ns` or later.
Lanes lanes_from(std::int64_t step_start_ns, const std::vector<Attribution>& kernels) {
  Lanes lanes;
  for (const Attribution& kernel : kernels) {
    const TraceEvent& event = *kernel.activity;
    if (event.start_ns < step_start_ns) continue;
    const std::string collective =
        event.kind == TraceKind::kKernel ? collective_of(event.name) : std::string();
    auto& lane = collective.empty() ? lanes.compute : lanes.communication;
    lane.push_back({collective.empty() ? kernel.phase : collective, event.start_ns - step_start_ns,
                    event.end_ns() - step_start_ns});
    lanes.step_ns = std::max(lanes.step_ns, event.end_ns() - step_start_ns);
  }
  return lanes;
}

}  // namespace

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
  const std::vector<Attribution> kernels = device_activities(trace);
  if (kernels.empty()) return {};
  auto begin = std::ranges::find(kernels, kForwardPhase, &Attribution::phase);
  if (begin == kernels.end()) begin = kernels.begin();
  Lanes lanes = lanes_from(begin->activity->start_ns, kernels);
  for (Interval& all_reduce : lanes.communication) all_reduce.phase.clear();
  return lanes;
}

Lanes lanes_of_own_step(const Trace& trace) {
  const auto step = std::ranges::find(trace, kOwnStepRange, &TraceEvent::name);
  if (step == trace.end()) return {};
  const std::vector<Attribution> kernels = device_activities(trace);
  if (!kernels.empty()) return lanes_from(step->start_ns, kernels);
  Lanes lanes;
  lanes.step_ns = step->duration_ns;
  for (const TraceEvent& event : trace) {
    if (event.start_ns < step->start_ns) continue;
    const std::string collective = collective_of(event.name);
    const bool is_phase = event.kind == TraceKind::kRange &&
                          std::ranges::find(kComputingPhases, event.name) != kComputingPhases.end();
    if (collective.empty() && !is_phase) continue;
    auto& lane = is_phase ? lanes.compute : lanes.communication;
    lane.push_back({is_phase ? event.name : collective, event.start_ns - step->start_ns,
                    event.end_ns() - step->start_ns});
  }
  return lanes;
}

std::string collective_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{
      {{"allreduce", "all-reduce"},
       {"allgather", "all-gather"},
       {"reducescatter", "reduce-scatter"},
       {"broadcast", "broadcast"},
       {"alltoall", "all-to-all"},
       {"reduce", "reduce"},
       {"sendrecv", "send or receive"}}};
  const bool is_collective = name.starts_with("nccl") || name.starts_with("gloo:");
  if (!is_collective) return "";
  std::string letters;
  for (const char letter : name) {
    if (letter != '_') letters += static_cast<char>(std::tolower(letter));
  }
  for (const auto& [spelling, words] : kNames) {
    if (letters.find(spelling) != letters.npos) return std::string(words);
  }
  return "collective";
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
