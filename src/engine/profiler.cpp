#include "engine/profiler.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <memory>
#include <set>

#include "engine/host_clock.h"
#include "engine/range.h"

namespace labreport {
namespace {

namespace kineto = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;

/// Turns ranges into user scopes, which the profiler records.
class RangeRecorder : public RangeObserver {
 public:
  void on_open(std::string_view name) override {
    open_scopes_.push_back(std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE));
    if (open_scopes_.back()->isActive()) open_scopes_.back()->before(std::string(name));
  }
  void on_close() override { open_scopes_.pop_back(); }

 private:
  std::vector<std::unique_ptr<at::RecordFunction>> open_scopes_;
};

// These values are copied from libkineto, whose header LibTorch does not ship.
enum KinetoActivity : std::uint8_t {
  kCpuOp = 0,
  kUserAnnotation = 1,
  kGpuMemcpy = 3,
  kGpuMemset = 4,
  kConcurrentKernel = 5,
  kCudaRuntime = 7,
  kCudaDriver = 8,
  kOverhead = 11,
};

std::optional<TraceKind> kind_of(const kineto::KinetoEvent& event) {
  switch (event.activityType()) {
    case kCpuOp: {
      const auto scope = static_cast<at::RecordScope>(event.scope());
      return scope == at::RecordScope::BACKWARD_FUNCTION ? TraceKind::kBackward
                                                         : TraceKind::kOperator;
    }
    case kUserAnnotation:
      return TraceKind::kRange;
    case kGpuMemcpy:
      return TraceKind::kMemcpy;
    case kGpuMemset:
      return TraceKind::kMemset;
    case kConcurrentKernel:
      return TraceKind::kKernel;
    case kCudaRuntime:
    case kCudaDriver:
      return TraceKind::kRuntime;
    case kOverhead:
      return TraceKind::kOverhead;
    default:  // Other events repeat known ones, such as ranges projected onto the device.
      return std::nullopt;
  }
}

Trace trace_of(const std::vector<kineto::KinetoEvent>& events) {
  Trace trace;
  for (const kineto::KinetoEvent& event : events) {
    const auto kind = kind_of(event);
    if (!kind) continue;
    trace.push_back({*kind, event.name(), static_cast<std::int64_t>(event.startNs()),
                     static_cast<std::int64_t>(event.durationNs()), event.startThreadId(),
                     event.correlationId(), event.linkedCorrelationId(), event.sequenceNr(),
                     event.deviceResourceId()});
  }
  std::ranges::stable_sort(trace, {}, &TraceEvent::start_ns);
  const std::int64_t first_start_ns = trace.empty() ? 0 : trace.front().start_ns;
  for (TraceEvent& event : trace) event.start_ns -= first_start_ns;
  return trace;
}

std::int64_t elapsed_ns(const std::function<void()>& work) {
  const std::int64_t start_ns = host_now_ns();
  work();
  return host_now_ns() - start_ns;
}

}  // namespace

bool on_device(const TraceEvent& event) {
  return event.kind == TraceKind::kKernel || event.kind == TraceKind::kMemcpy ||
         event.kind == TraceKind::kMemset;
}

Profile profile(DeviceKind device, const std::function<void()>& work) {
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  std::set<ActivityType> activities{ActivityType::CPU};
  if (device == DeviceKind::kCuda) activities.insert(ActivityType::CUDA);
  Profile result;
  result.prepare_ns = elapsed_ns([&] {
    kineto::prepareProfiler(config, activities);
    kineto::enableProfiler(config, activities,
                           {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE,
                            at::RecordScope::BACKWARD_FUNCTION});
  });
  result.work_ns = elapsed_ns([&] {
    RangeRecorder recorder;
    const RangeObserverScope scope(recorder);
    work();
  });
  std::unique_ptr<kineto::ProfilerResult> collected;
  result.collect_ns = elapsed_ns([&] { collected = kineto::disableProfiler(); });
  result.trace = trace_of(collected->events());
  return result;
}

}  // namespace labreport
