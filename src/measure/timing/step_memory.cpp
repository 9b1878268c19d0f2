#include "measure/timing/step_memory.h"

#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr const char* kNoAllocator = "a CPU has no caching allocator that counts";

Metric count_or_absent(std::string_view tag, std::string_view name, const char* unit,
                       std::optional<std::int64_t> value) {
  return integer_metric(tag, name, unit, value, kNoAllocator);
}

}  // namespace

StepMemory::StepMemory(c10::Device device, std::int64_t parameter_bytes)
    : device_(device), parameter_bytes_(parameter_bytes) {
  reset_peaks(device_);
  const auto counts = allocator_counts(device_);
  if (counts) last_device_allocations_ = counts->device_allocations;
}

void StepMemory::note_step() {
  const auto counts = allocator_counts(device_);
  if (!counts) return;
  step_allocations_.push_back(counts->device_allocations - last_device_allocations_);
  last_device_allocations_ = counts->device_allocations;
}

void StepMemory::begin() { before_ = allocator_counts(device_); }

void StepMemory::end() { after_ = allocator_counts(device_); }

std::vector<Metric> StepMemory::metrics() const {
  const auto peak = [&](std::int64_t AllocatorCounts::* field) {
    return after_ ? std::optional(*after_.*field) : std::nullopt;
  };
  return {
      integer_metric(metric::kMemory, metric::kParameters, "B", parameter_bytes_),
      count_or_absent(metric::kMemory, metric::kPeakAllocated, "B",
                      peak(&AllocatorCounts::peak_allocated_bytes)),
      count_or_absent(metric::kMemory, metric::kPeakReserved, "B",
                      peak(&AllocatorCounts::peak_reserved_bytes)),
      count_or_absent(metric::kMemory, metric::kPeakRequested, "B",
                      peak(&AllocatorCounts::peak_requested_bytes)),
  };
}

Metric StepMemory::device_allocations() const {
  std::optional<std::int64_t> count;
  if (before_ && after_) count = after_->device_allocations - before_->device_allocations;
  return count_or_absent(metric::kGpu, metric::kDeviceAllocations, "1", count);
}

}  // namespace labreport
