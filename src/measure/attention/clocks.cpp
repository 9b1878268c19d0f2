#include "measure/attention/clocks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "engine/device.h"
#include "engine/host_clock.h"
#include "engine/phase_marks.h"

namespace labreport {
namespace {

constexpr std::int64_t kFlushBytes = 256'000'000;
constexpr std::int64_t kEstimationPasses = 5, kMaxPassesOnCpu = 20;

/// Returns how many passes fit into the time: at least one, and on a CPU at most `kMaxPassesOnCpu`.
std::int64_t passes_fitting(std::int64_t time_ns, std::int64_t pass_ns, c10::Device device) {
  const std::int64_t count = std::max<std::int64_t>(1, time_ns / pass_ns);
  return device.is_cpu() ? std::min(count, kMaxPassesOnCpu) : count;
}

/// Returns a tensor whose writing flushes the L2 cache. On a CPU it is empty and flushes nothing.
at::Tensor make_flush_buffer(c10::Device device) {
  return at::empty({device.is_cpu() ? 0 : kFlushBytes},
                   at::TensorOptions().device(device).dtype(at::kByte));
}

/// Estimates the nanoseconds of one pass with its preparation and one flush.
std::int64_t estimate_pass_ns(c10::Device device, at::Tensor& flush_buffer, const TimedPass& pass) {
  const auto marks = make_phase_marks(PhaseClock::kEvents, device, 1);
  marks->mark_start();
  for (std::int64_t i = 0; i < kEstimationPasses; ++i) {
    flush_buffer.zero_();
    pass.prepare();
    pass.run();
  }
  marks->mark_phase_end();
  synchronize(device);
  return std::max<std::int64_t>(1000, marks->durations_ns().front() / kEstimationPasses);
}

}  // namespace

SyncedTimes synced_ns(c10::Device device, std::int64_t warmup, std::int64_t count,
                      const SyncedPasses& passes) {
  SyncedTimes times;
  for (std::int64_t i = 0; i < warmup + count; ++i) {
    passes.prepare();
    synchronize(device);
    const std::int64_t start_ns = host_now_ns();
    passes.forward();
    synchronize(device);
    const std::int64_t forward_end_ns = host_now_ns();
    passes.backward();
    synchronize(device);
    if (i < warmup) continue;
    times.forward.push_back(forward_end_ns - start_ns);
    times.backward.push_back(host_now_ns() - forward_end_ns);
  }
  return times;
}

std::vector<std::int64_t> do_bench_ns(c10::Device device, const BenchTime& time,
                                      const TimedPass& pass) {
  pass.prepare();
  pass.run();
  synchronize(device);
  at::Tensor flush_buffer = make_flush_buffer(device);
  const std::int64_t pass_ns = estimate_pass_ns(device, flush_buffer, pass);
  for (std::int64_t i = 0; i < passes_fitting(time.warmup_ns, pass_ns, device); ++i) {
    pass.prepare();
    pass.run();
  }
  return repeats_ns(device, passes_fitting(time.repeat_ns, pass_ns, device), pass);
}

std::vector<std::int64_t> repeats_ns(c10::Device device, std::int64_t repeats,
                                     const TimedPass& pass) {
  at::Tensor flush_buffer = make_flush_buffer(device);
  const auto marks =
      make_phase_marks(PhaseClock::kEvents, device, static_cast<std::size_t>(2 * repeats));
  marks->mark_start();
  for (std::int64_t i = 0; i < repeats; ++i) {
    pass.prepare();
    flush_buffer.zero_();
    marks->mark_phase_end();
    pass.run();
    marks->mark_phase_end();
  }
  synchronize(device);
  // Every second interval is a pass; the others are its preparation and the flush.
  const std::vector<std::int64_t> intervals_ns = marks->durations_ns();
  std::vector<std::int64_t> durations_ns;
  for (std::size_t i = 1; i < intervals_ns.size(); i += 2) durations_ns.push_back(intervals_ns[i]);
  return durations_ns;
}

}  // namespace labreport
