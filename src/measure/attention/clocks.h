// Ways to time the forward and the backward pass of attention.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/device.h"
#include "engine/host_clock.h"

namespace labreport {

/// A pass that is timed repeatedly. `prepare` runs before each repetition and is not timed.
struct TimedPass {
  std::function<void()> prepare;
  std::function<void()> run;
};

/// Alternating forward and backward passes. `prepare` runs before each forward pass, untimed.
struct SyncedPasses {
  std::function<void()> prepare;
  std::function<void()> forward;
  std::function<void()> backward;
};

/// Returns how long `pass` takes on a device that is idle before it, until it is idle again.
template <typename Pass>
std::int64_t synced_pass_ns(c10::Device device, const Pass& pass) {
  synchronize(device);
  const std::int64_t start_ns = host_now_ns();
  pass();
  synchronize(device);
  return host_now_ns() - start_ns;
}

/// The times of the forward and backward passes, in nanoseconds.
struct SyncedTimes {
  std::vector<std::int64_t> forward, backward;
};

/// Times `count` pairs of forward and backward passes by the host's clock, after `warmup` untimed
/// pairs. The device is synchronized before and after each pass.
SyncedTimes synced_ns(c10::Device device, std::int64_t warmup, std::int64_t count,
                      const SyncedPasses& passes);

/// Durations of warm-up and measurement; the defaults are those of triton.testing.do_bench.
struct BenchTime {
  std::int64_t warmup_ns = 25'000'000;
  std::int64_t repeat_ns = 100'000'000;
};

/// Follows triton.testing.do_bench: five passes estimate how many fit into the given times. Returns
/// the nanoseconds of each counted pass, between two events after a write of 256 MB that flushes
/// the L2 cache. On a CPU it uses the host's clock and at most 20 passes, and flushes no cache.
std::vector<std::int64_t> do_bench_ns(c10::Device device, const BenchTime& time,
                                      const TimedPass& pass);

/// Returns the nanoseconds of `repeats` passes as do_bench_ns() times them after its warm-up.
std::vector<std::int64_t> repeats_ns(c10::Device device, std::int64_t repeats,
                                     const TimedPass& pass);

}  // namespace labreport
