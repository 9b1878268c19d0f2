#include "measure/memory/tables.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

void add_categories(std::string_view tag, const MemoryInstant& instant,
                    std::vector<Metric>& metrics) {
  for (const MemoryCategory category : kMemoryCategories) {
    metrics.push_back(integer_metric(tag, name(category), "B",
                                     instant.requested_bytes[static_cast<std::size_t>(category)]));
  }
}

}  // namespace

std::vector<Metric> timeline_metrics(const MemoryTimeline& timeline) {
  const MemoryInstant& peak = timeline.instants[timeline.peak_index];
  std::int64_t parameter_rounding = 0;
  const MemoryLifetime* block_output = nullptr;  // the sum at the end of the last block
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    if (lifetime.category == MemoryCategory::kParameters) {
      parameter_rounding += lifetime.block_bytes - lifetime.requested_bytes;
    }
    if (lifetime.made_event == 0) continue;
    const MemoryOrigin& origin = origin_of(timeline.history, lifetime.made_event);
    const bool is_block_output =
        origin.phase == metric::kForward && origin.inner_op == "aten::add" &&
        origin.module.starts_with("layers.") && origin.module.find('/') == std::string::npos;
    if (is_block_output) block_output = &lifetime;
  }
  std::vector<Metric> metrics;
  add_categories(metric::kResident, timeline.instants.front(), metrics);
  add_categories(metric::kCategory, peak, metrics);
  const auto add = [&](std::string_view tag, std::string_view name, std::string_view unit,
                       std::int64_t value) {
    metrics.push_back(integer_metric(tag, name, unit, value));
  };
  add(metric::kRounding, metric::kPeak, "B", peak.allocated_bytes - peak.total_requested());
  add(metric::kRounding, metric::kParameters, "B", parameter_rounding);
  if (block_output != nullptr) {
    add(metric::kResidual, metric::kRequested, "B", block_output->requested_bytes);
    add(metric::kResidual, metric::kAllocated, "B", block_output->block_bytes);
  }
  add(metric::kHistory, metric::kEvents, "1", std::ssize(timeline.history.events));
  add(metric::kHistory, metric::kLostEvents, "1", timeline.lifetimes.lost_events);
  return metrics;
}

}  // namespace labreport
