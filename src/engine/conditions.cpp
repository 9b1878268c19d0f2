#include "engine/conditions.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/processes.h"
#include "engine/allocator.h"
#include "engine/cuda_device.h"
#include "engine/device.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

using Reading = std::optional<std::int64_t>;

Reading difference(Reading later, Reading earlier) {
  if (!later || !earlier) return std::nullopt;
  return *later - *earlier;
}

}  // namespace

void Conditions::open() {
  if (kind_ == DeviceKind::kCuda && !monitor_) monitor_ = GpuMonitor::open(cuda_facts().uuid);
}

void Conditions::begin() {
  open();
  if (kind_ == DeviceKind::kCpu) other_processes_ = other_labreport_processes();
  if (!monitor_) return;
  other_processes_ = monitor_->other_process_count(/*has_context=*/true);
  before_ = monitor_->snapshot();
}

void Conditions::end() {
  if (kind_ == DeviceKind::kCpu)
    other_processes_ = std::max(other_labreport_processes(), other_processes_.value_or(0));
  if (!monitor_) return;
  after_ = monitor_->snapshot();
  // Some drivers spill into host memory; the allocator then reserves more than the device uses.
  const auto counts = allocator_counts(torch_device(kind_));
  if (counts && after_.used_bytes) {
    spilled_bytes_ = std::max<std::int64_t>(0, counts->reserved_bytes - *after_.used_bytes);
  }
  const Reading other_processes = monitor_->other_process_count(/*has_context=*/true);
  if (other_processes) other_processes_ = std::max(*other_processes, other_processes_.value_or(0));
}

void Conditions::sample_clocks(std::int64_t expected_ns, const std::function<void()>& work) {
  if (!monitor_) return;
  std::atomic<bool> clocks_read = false;
  std::jthread observer([&] {
    std::this_thread::sleep_for(std::chrono::nanoseconds(expected_ns / 2));
    during_ = monitor_->snapshot();
    clocks_read = true;
  });
  do work();
  while (!clocks_read);
}

std::vector<Metric> Conditions::metrics() const {
  const std::string reason = kind_ == DeviceKind::kCpu ? "a CPU has no such counter"
                                                       : "the driver's library does not tell";
  std::vector<Metric> metrics;
  auto add = [&](std::string_view tag, std::string_view name, const char* unit, Reading value) {
    metrics.push_back(value ? integer_metric(std::string(tag), std::string(name), unit, *value)
                            : absent_metric(std::string(tag), std::string(name), unit, reason));
  };
  add(metric::kClock, metric::kSm, "MHz", during_.sm_clock_mhz);
  add(metric::kClock, metric::kMemory, "MHz", during_.memory_clock_mhz);
  add(metric::kSlowdown, metric::kThermal, "ns",
      difference(after_.thermal_slowdown_ns, before_.thermal_slowdown_ns));
  add(metric::kSlowdown, metric::kHardware, "ns",
      difference(after_.hardware_slowdown_ns, before_.hardware_slowdown_ns));
  add(metric::kSlowdown, metric::kPower, "ns",
      difference(after_.power_slowdown_ns, before_.power_slowdown_ns));
  add(metric::kGpu, metric::kTemperature, "°C", after_.temperature_c);
  const bool on_cpu = kind_ == DeviceKind::kCpu;
  add(metric::kGpu, metric::kOtherProcesses, "1", on_cpu ? Reading() : other_processes_);
  if (on_cpu) add(metric::kHost, metric::kOtherProcesses, "1", other_processes_);
  add(metric::kGpu, metric::kSpilled, "B", spilled_bytes_);
  return metrics;
}

}  // namespace labreport
