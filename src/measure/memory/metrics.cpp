#include "measure/memory/tables.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

void add_categories(std::string_view tag, const MemoryInstant& instant,
                    std::vector<Metric>& metrics) {
  for (const MemoryCategory category : kMemoryCategories) {
    metrics.push_back(integer_metric(tag, name(category), "B",
                                     instant.requested[static_cast<std::size_t>(category)]));
  }
}

std::int64_t rounding_of_parameters(const MemoryLifetimes& found) {
  std::int64_t bytes = 0;
  for (const MemoryLifetime& lifetime : found.lifetimes) {
    if (lifetime.category == MemoryCategory::kParameters)
      bytes += lifetime.block - lifetime.requested;
  }
  return bytes;
}

/// Finds a block's output, which is the last sum that the block computes.
const MemoryLifetime* block_output(const MemoryTimeline& timeline) {
  const MemoryLifetime* output = nullptr;
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    if (lifetime.made == 0) continue;
    const MemoryOrigin& origin = timeline.history.origin(event_of(timeline.history, lifetime.made));
    const bool sum = origin.phase == metric::kForward && origin.op == "aten::add" &&
                     origin.module.starts_with("layers.") &&
                     origin.module.find('/') == std::string::npos;
    if (sum) output = &lifetime;
  }
  return output;
}

void add_residual(const MemoryTimeline& timeline, std::vector<Metric>& metrics) {
  const MemoryLifetime* output = block_output(timeline);
  if (output == nullptr) return;
  metrics.push_back(integer_metric(metric::kResidual, metric::kRequested, "B", output->requested));
  metrics.push_back(integer_metric(metric::kResidual, metric::kAllocated, "B", output->block));
}

}  // namespace

std::vector<Metric> timeline_metrics(const MemoryTimeline& timeline) {
  const MemoryInstant& peak = timeline.instants[timeline.peak];
  std::vector<Metric> metrics;
  add_categories(metric::kResident, timeline.instants.front(), metrics);
  add_categories(metric::kCategory, peak, metrics);
  metrics.push_back(
      integer_metric(metric::kRounding, metric::kPeak, "B", peak.allocated - peak.total()));
  metrics.push_back(integer_metric(metric::kRounding, metric::kParameters, "B",
                                   rounding_of_parameters(timeline.found)));
  add_residual(timeline, metrics);
  const auto events = static_cast<std::int64_t>(timeline.history.events.size());
  metrics.push_back(integer_metric(metric::kHistory, metric::kEvents, "1", events));
  metrics.push_back(integer_metric(metric::kHistory, metric::kLost, "1", timeline.found.lost));
  return metrics;
}

}  // namespace labreport
