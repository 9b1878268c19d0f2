#include "measure/data_parallel/overlap.h"

#include <algorithm>

#include "measure/kernels/attribution.h"

namespace labreport {
namespace {

using Span = std::pair<std::int64_t, std::int64_t>;

/// Returns disjoint spans that cover the same time, in order.
std::vector<Span> united(const std::vector<Stretch>& stretches) {
  std::vector<Span> spans;
  for (const Stretch& stretch : stretches) spans.emplace_back(stretch.start_ns, stretch.end_ns);
  std::ranges::sort(spans);
  std::vector<Span> apart;
  for (const Span& span : spans) {
    if (apart.empty() || span.first > apart.back().second) {
      apart.push_back(span);
    } else {
      apart.back().second = std::max(apart.back().second, span.second);
    }
  }
  return apart;
}

std::int64_t shared(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t begin = std::max(a[i].first, b[j].first);
    const std::int64_t end = std::min(a[i].second, b[j].second);
    sum += std::max<std::int64_t>(0, end - begin);
    (a[i].second < b[j].second ? i : j)++;
  }
  return sum;
}

constexpr std::int64_t kSmallestGapNs = 1'000;
constexpr const char* kForwardPhase = "forward";

}  // namespace

Overlap overlap(const Lanes& lanes) {
  const std::vector<Span> communication = united(lanes.communication);
  Overlap found;
  for (const Span& span : communication) found.communication_ns += span.second - span.first;
  found.both_ns = shared(communication, united(lanes.compute));
  return found;
}

Lanes lanes_of(const Trace& trace) {
  Lanes lanes;
  std::vector<Attributed> kernels = attribute(trace);
  std::erase_if(kernels, [](const Attributed& kernel) { return !on_device(*kernel.activity); });
  if (kernels.empty()) return lanes;
  auto begin = std::ranges::find(kernels, kForwardPhase, &Attributed::phase);
  if (begin == kernels.end()) begin = kernels.begin();
  const std::int64_t first = begin->activity->start_ns;
  for (auto kernel = begin; kernel != kernels.end(); ++kernel) {
    const TraceEvent& event = *kernel->activity;
    const bool communicates = event.kind == TraceKind::kKernel && event.name.starts_with("nccl");
    auto& lane = communicates ? lanes.communication : lanes.compute;
    lane.push_back(
        {communicates ? "" : kernel->phase, event.start_ns - first, event.end_ns() - first});
    lanes.step_ns = std::max(lanes.step_ns, event.end_ns() - first);
  }
  return lanes;
}

std::vector<Stretch> merged(const std::vector<Stretch>& stretches, std::int64_t gap_ns) {
  std::vector<Stretch> together;
  for (const Stretch& stretch : stretches) {
    const bool joins = !together.empty() && together.back().phase == stretch.phase &&
                       stretch.start_ns - together.back().end_ns < gap_ns;
    if (!joins) {
      together.push_back(stretch);
    } else {
      together.back().end_ns = std::max(together.back().end_ns, stretch.end_ns);
    }
  }
  return together;
}

std::vector<Stretch> at_most(std::vector<Stretch> stretches, std::size_t most) {
  for (std::int64_t gap = kSmallestGapNs; stretches.size() > most; gap *= 2) {
    stretches = merged(stretches, gap);
  }
  return stretches;
}

}  // namespace labreport
