// What is compared of a cell: which of its numbers, what work stands behind them.
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
  kStep,       ///< The whole step; ns.
  kFirstStep,  ///< The first of a cold process; ns.
  kForward,    ///< Phases of steps that synchronize after each; ns.
  kBackward,
  kOptimizer,
  kPeakMemory,     ///< Allocated; B.
  kKernelTime,     ///< Union of the kernels of one profiled step; ns.
  kAllReduce1Kib,  ///< One all-reduce of a message of that size; ns.
  kAllReduce1Mb,
  kAllReduce10Mb,
  kAllReduce100Mb,
  kAllReduce1Gb,
};

/// The name in JSON ("first_step"), and in words ("first step").
std::string_view name(Measure measure);
std::string describe(Measure measure);

/// "ns" or "B"
std::string_view unit(Measure measure);

/// Bytes of an all-reduce's message; 0 for other measures.
std::int64_t message_bytes(Measure measure);

/// What a cell of this kind and mode has to say; empty for kinds that are not compared by rows.
std::vector<Measure> measures_of(const CellSpec& spec);

/// Every step from the first is kept; only those after the first `warmup` count.
std::vector<double> after_warmup(std::vector<double> samples, std::int64_t warmup);

/// One number a launch that ended well: the median of its counted steps, or its one value; of an
/// all-reduce its slowest rank's time, by nccl-tests' method in place where that was measured, else
/// by the handout's; of an imported cell the first published mean, which says nothing about others.
/// All are above 0.
std::vector<double> launch_values(const Cell& cell, Measure measure);

/// Of a number that the launch has under its conditions.
bool condition_above_zero(const Launch& launch, std::string_view tag, std::string_view name);

/// "thermal slowdown", "hardware slowdown", "shared GPU", "spilled to host memory": what disturbed
/// any of the launches, each once.
std::vector<std::string> disturbed_by(std::span<const Launch> launches);

/// What the run measured of its device's limits; what it did not is absent.
struct Limits {
  std::map<Precision, double> rates;  ///< flop/s
  std::optional<double> bandwidth;    ///< B/s
};
Limits measured_limits(const Run& run);

/// Work that the network prescribes, whatever runs it; 0 where it is not counted.
struct Work {
  double flops = 0;  ///< Of GEMMs (plan/arithmetic).
  double bytes = 0;  ///< AdamW's least: four tensors of FP32 read and three written.
};
Work work_of(const CellSpec& spec, Measure measure);

}  // namespace labreport
