// The numbers of a cell that are compared, and the work behind them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

enum class Measure {
  kStep,       ///< One step; ns.
  kFirstStep,  ///< The first step of a cold process; ns.
  kForward,    ///< A phase of steps that synchronize after each phase; ns.
  kBackward,
  kOptimizer,
  kPeakMemory,     ///< Peak of allocated memory; B.
  kKernelTime,     ///< Time of one profiled step with a kernel running; ns.
  kAllReduce1Kib,  ///< One all-reduce of a message of this size; ns.
  kAllReduce1Mb,
  kAllReduce10Mb,
  kAllReduce100Mb,
  kAllReduce1Gb,
};

/// `name` returns the name in JSON ("first_step"), `describe` words ("first step").
std::string_view name(Measure measure);
std::string describe(Measure measure);

/// Returns "ns" or "B".
std::string_view unit(Measure measure);

/// Returns the bytes of an all-reduce's message; 0 for other measures.
std::int64_t message_bytes(Measure measure);

/// Returns the measures of a cell of this kind and mode; empty for kinds that are not compared by
/// rows.
std::vector<Measure> measures_of(const CellSpec& spec);

/// Drops the first `warmup` samples.
std::vector<double> after_warmup(std::vector<double> samples, std::int64_t warmup);

/// Returns one number above 0 for each successful launch: the median of its counted steps, or its
/// single value. An all-reduce gives its slowest rank's time, by nccl-tests' in-place method if
/// measured, else by the handout's. An imported cell gives only its first published mean.
std::vector<double> launch_values(const Cell& cell, Measure measure);

/// True if the launch has a condition of that tag and name above 0.
bool condition_above_zero(const Launch& launch, std::string_view tag, std::string_view name);

/// Returns the disturbances of any of the launches, each once: "thermal slowdown", "hardware
/// slowdown", "shared GPU", "spilled to host memory".
std::vector<std::string> disturbed_by(std::span<const Launch> launches);

/// The device's limits as the run measured them; unmeasured ones are absent.
struct Limits {
  std::map<Precision, double> rates;  ///< flop/s of matrix multiplications
  std::optional<double> bandwidth;    ///< B/s of a copy
};
Limits measured_limits(const Run& run);

/// Work that the network requires of any implementation; 0 if it is not counted.
struct Work {
  double flops = 0;  ///< Floating-point operations of GEMMs (plan/arithmetic).
  double bytes = 0;  ///< AdamW's least traffic: four FP32 tensors read and three written.
};
Work work_of(const CellSpec& spec, Measure measure);

}  // namespace labreport
