#include "measure/memory/phase_peaks.h"

#include <algorithm>

#include "engine/host_allocator.h"
#include "results/metric_names.h"

namespace labreport {

std::optional<AllocatorCounts> memory_counts(c10::Device device) {
  return device.is_cpu() ? host_counts() : allocator_counts(device);
}

void reset_memory_peaks(c10::Device device) {
  if (device.is_cpu()) reset_host_peak();
  reset_peaks(device);
}

PhasePeaks::PhasePeaks(c10::Device device) : device_(device), before_(memory_counts(device)) {
  reset_memory_peaks(device_);
}

void PhasePeaks::on_phase_end(Phase phase) {
  if (const auto counts = memory_counts(device_)) {
    AllocatorCounts& known = phases_[phase];
    for (auto peak :
         {&AllocatorCounts::peak_allocated_bytes, &AllocatorCounts::peak_requested_bytes,
          &AllocatorCounts::peak_reserved_bytes}) {
      known.*peak = std::max(known.*peak, (*counts).*peak);
    }
  }
  reset_memory_peaks(device_);
}

std::optional<std::int64_t> PhasePeaks::highest(std::int64_t AllocatorCounts::* field) const {
  std::optional<std::int64_t> highest;
  for (const auto& [phase, counts] : phases_) {
    highest = std::max(highest.value_or(0), counts.*field);
  }
  return highest;
}

std::optional<std::int64_t> PhasePeaks::peak_of(Phase phase) const {
  const auto found = phases_.find(phase);
  return found == phases_.end() ? std::nullopt : std::optional(found->second.peak_allocated_bytes);
}

std::vector<Metric> PhasePeaks::metrics() const {
  std::vector<Metric> metrics;
  if (before_) {
    metrics.push_back(
        integer_metric(metric::kResident, metric::kAllocated, "B", before_->allocated_bytes));
    metrics.push_back(
        integer_metric(metric::kResident, metric::kRequested, "B", before_->requested_bytes));
  }
  for (const auto& [phase, counts] : phases_) {
    metrics.push_back(integer_metric(metric::kPeak, name(phase), "B", counts.peak_allocated_bytes));
    metrics.push_back(
        integer_metric(metric::kPeakRequested, name(phase), "B", counts.peak_requested_bytes));
  }
  return metrics;
}

}  // namespace labreport
