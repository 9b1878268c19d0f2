// Reads the numbers that comparisons and plausibility checks need from cells and runs.
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

inline constexpr double kNanosecondsPerSecond = 1e9;

/// One number of a cell, which two runs can compare.
enum class Measure {
  kStep,           ///< One step; ns.
  kFirstStep,      ///< The first step of a cold process; ns.
  kForward,        ///< The forward pass of steps that synchronize after each phase; ns.
  kBackward,       ///< The backward pass of such steps; ns.
  kOptimizer,      ///< The optimizer of such steps; ns.
  kPeakMemory,     ///< Peak of allocated memory; B.
  kKernelTime,     ///< Time of one profiled step during which a kernel runs; ns.
  kDoBench,        ///< One repeat of a step by the method of triton.testing.do_bench; ns.
  kAllReduce1Kib,  ///< One all-reduce of a message of 1 KiB; ns.
  kAllReduce1Mb,
  kAllReduce10Mb,
  kAllReduce100Mb,
  kAllReduce1Gb,
};

/// Returns the name in JSON: "first_step".
std::string_view name(Measure measure);

/// Returns the words of a report: "first step".
std::string describe(Measure measure);

/// Returns "ns" or "B".
std::string_view unit(Measure measure);

/// Returns the bytes of an all-reduce's message; 0 for other measures.
std::int64_t message_bytes(Measure measure);

/// Returns the measures of a cell of this kind and mode. Kinds without measures, such as attention,
/// have no rows in a comparison.
std::vector<Measure> measures_of(const CellSpec& spec);

/// Drops the first `warmup` samples.
std::vector<double> after_warmup(std::vector<double> samples, std::int64_t warmup);

/// Returns one number above 0 for each successful launch that has the measure: `typical_time` of
/// its counted steps, as reports tell it, or its single value. An all-reduce gives its slowest
/// rank's time, by nccl-tests' in-place method if measured, else by the handout's. An imported cell
/// gives only its first published mean.
std::vector<double> launch_values(const Cell& cell, Measure measure);

/// Returns what disturbed any of the launches, each disturbance once: "thermal slowdown", "hardware
/// slowdown", "shared GPU", "spilled to host memory".
std::vector<std::string> disturbances_of(std::span<const Launch> launches);

/// The device's limits as the run measured them; unmeasured ones are absent.
struct Limits {
  /// FLOP/s of the fastest GEMM, of kind `limits` or of a profiled step, which no GEMM exceeds. It
  /// is known in the precisions that kind `limits` measured.
  std::map<Precision, double> peak_gemm_rates;
  /// FLOP/s that large GEMMs sustain for a second, which the power limit may slow down: the median
  /// of the first launch that measured it.
  std::map<Precision, double> sustained_gemm_rates;
  /// B/s that a copy reads and writes: the median of the first launch that measured it.
  std::optional<double> copy_bandwidth;
};

/// Returns the limits of the device with that index, or those of all devices. Reads all kernels of
/// the run, so callers keep the result instead of calling twice.
Limits measured_limits(const Run& run, std::optional<std::int64_t> device = {});

}  // namespace labreport
