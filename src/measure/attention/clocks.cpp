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
constexpr std::int64_t kEstimated = 5;
constexpr std::int64_t kMostOnCpu = 20;

/// Returns how many passes fit into the time: at least one, and on a CPU at most `kMostOnCpu`.
std::int64_t fitting(std::int64_t time_ns, std::int64_t estimate_ns, c10::Device device) {
  const std::int64_t count = std::max<std::int64_t>(1, time_ns / estimate_ns);
  return device.is_cpu() ? std::min(count, kMostOnCpu) : count;
}

/// Estimates the nanoseconds of one pass with its preparation and one flush.
std::int64_t estimated_ns(c10::Device device, at::Tensor& flushed, const TimedPass& pass) {
  const auto marks = make_phase_marks(PhaseClock::kEvents, device, 1);
  marks->start();
  for (std::int64_t i = 0; i < kEstimated; ++i) {
    flushed.zero_();
    pass.prepare();
    pass.run();
  }
  marks->phase_ended();
  synchronize(device);
  return std::max<std::int64_t>(1000, marks->durations_ns().front() / kEstimated);
}

}  // namespace

SyncedTimes synced_ns(c10::Device device, std::int64_t warmup, std::int64_t count,
                      const SyncedPasses& passes) {
  SyncedTimes times;
  for (std::int64_t i = 0; i < warmup + count; ++i) {
    passes.prepare();
    synchronize(device);
    const std::int64_t start = host_now_ns();
    passes.forward();
    synchronize(device);
    const std::int64_t between = host_now_ns();
    passes.backward();
    synchronize(device);
    if (i < warmup) continue;
    times.forward.push_back(between - start);
    times.backward.push_back(host_now_ns() - between);
  }
  return times;
}

std::vector<std::int64_t> do_bench_ns(c10::Device device, const BenchTime& time,
                                      const TimedPass& pass) {
  pass.prepare();
  pass.run();
  synchronize(device);
  // Writing this tensor flushes the L2 cache. On a CPU the tensor is empty, so nothing is flushed.
  at::Tensor flushed = at::empty({device.is_cpu() ? 0 : kFlushBytes},
                                 at::TensorOptions().device(device).dtype(at::kByte));
  const std::int64_t estimate = estimated_ns(device, flushed, pass);
  for (std::int64_t i = 0; i < fitting(time.warmup_ns, estimate, device); ++i) {
    pass.prepare();
    pass.run();
  }
  const std::int64_t repeats = fitting(time.repeat_ns, estimate, device);
  const auto marks =
      make_phase_marks(PhaseClock::kEvents, device, static_cast<std::size_t>(2 * repeats));
  marks->start();
  for (std::int64_t i = 0; i < repeats; ++i) {
    pass.prepare();
    flushed.zero_();
    marks->phase_ended();
    pass.run();
    marks->phase_ended();
  }
  synchronize(device);
  const std::vector<std::int64_t> both = marks->durations_ns();
  std::vector<std::int64_t> durations;
  for (std::size_t i = 1; i < both.size(); i += 2) durations.push_back(both[i]);
  return durations;
}

}  // namespace labreport
