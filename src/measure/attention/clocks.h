// The two clocks by which a pass of attention is timed.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace labreport {

/// What is done again and again. `prepare` comes before each pass and is never timed.
struct TimedPass {
  std::function<void()> prepare;
  std::function<void()> run;
};

/// Forward and backward in turns.
struct SyncedPasses {
  std::function<void()> prepare;
  std::function<void()> forward;
  std::function<void()> backward;
};

/// Both of one pass, in nanoseconds.
struct SyncedTimes {
  std::vector<std::int64_t> forward, backward;
};

/// `count` passes after `warmup` that are not counted: the host's clock, the device idle at the
/// beginning of each forward and each backward and synchronized at its end.
SyncedTimes synced_ns(c10::Device device, std::int64_t warmup, std::int64_t count,
                      const SyncedPasses& passes);

/// How long do_bench warms up and measures; its own defaults.
struct BenchTime {
  std::int64_t warmup_ns = 25'000'000;
  std::int64_t repeat_ns = 100'000'000;
};

/// The method of triton.testing.do_bench: five passes tell how many fit the given times; each
/// counted one stands between two events, behind a write of 256 MB that empties the L2 cache. On a
/// CPU the host's clock, at most 20 passes, and no cache is emptied.
std::vector<std::int64_t> do_bench_ns(c10::Device device, const BenchTime& time,
                                      const TimedPass& pass);

}  // namespace labreport
