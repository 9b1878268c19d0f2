// FP32 beside another precision, network by network, with the kernel times of their profiles.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/facts.h"
#include "experiments/common/ratio.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_mixed_precision {

/// The time of one pass's kernels (on a CPU: operators) in one profiled step, in ms.
struct KernelTime {
  double gemms = 0, copies = 0, others = 0;  ///< `others` are neither GEMMs nor copies.
  double launches = 0;                       ///< A number of kernels, not a time.

  double rest() const { return copies + others; }
  double total() const { return gemms + rest(); }
  double gemm_share() const { return gemms / total(); }
};

struct Pass {
  std::vector<double> ms;             ///< The times of all counted steps; may be empty.
  std::optional<KernelTime> kernels;  ///< Empty if no step was profiled.
  std::optional<bool> launch_bound;   ///< Empty for whole steps and on a CPU.
};

/// One network in one precision. It does not own `group`, which has to outlive it.
struct Network {
  const TimingGroup* group;
  Pass forward, backward, step;
  std::optional<Bound> bound;  ///< Tells what limits the longest mode that ran; empty on a CPU.

  std::string size() const;  ///< "2.7B", with the context if the run has several.
  std::string_view precision() const;
  std::string missing() const;  ///< "training step: out of memory …"; empty if that step ran.
};

struct Pair {
  const Network *fp32, *other;

  std::string size() const { return other->size(); }
  std::string precision() const { return std::string(other->precision()); }
  std::optional<Ratio> speedup(Pass Network::* pass) const;  ///< Mean FP32 time / other time.
};

/// Sorted by context, number of parameters and precision (FP32, BF16, FP16, TF32).
std::vector<Network> networks(const RunView& view, const std::vector<TimingGroup>& groups);

/// Pairs each other precision of a network with its FP32. BF16 pairs come before FP16 and TF32
/// pairs; within a precision the order of `networks` is kept.
std::vector<Pair> pairs(const std::vector<Network>& networks);

/// The pairs in the first pair's precision whose `pass` was timed on both sides; answers use these.
std::vector<Pair> compared_pairs(const std::vector<Pair>& pairs, Pass Network::* pass);

/// The values of part (c)'s sentences. `pairs` must not be empty.
Facts speedup_facts(const RunView& view, const std::vector<Pair>& pairs);

}  // namespace labreport::benchmarking_mixed_precision
