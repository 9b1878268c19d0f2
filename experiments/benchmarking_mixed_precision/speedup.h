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
  double launches = 0;

  double rest() const { return copies + others; }
  double total() const { return gemms + rest(); }
  double gemm_share() const { return gemms / total(); }
};

/// One pass of one network in one precision.
struct Pass {
  std::vector<double> ms;             ///< One for each step; empty if not measured.
  std::optional<KernelTime> kernels;  ///< Empty if not profiled.
  std::optional<bool> launch_bound;   ///< Empty on a CPU.
};

/// One network in one precision; the group has to outlive it.
struct Network {
  const TimingGroup* group;
  Pass forward, backward, step;
  std::optional<Bound> bound;  ///< The limit that sets the pace of its longest step.

  std::string size() const;  ///< "2.7B", with the context if the run has several.
  std::string_view precision() const;
  std::string missing() const;  ///< "training step: out of memory …"; empty if that step ran.
};

/// A network in FP32 and in another precision.
struct Pair {
  const Network *fp32, *other;

  std::string size() const { return other->size(); }
  std::string precision() const { return std::string(other->precision()); }
  std::optional<Ratio> speedup(Pass Network::* pass) const;  ///< FP32's time over the other's.
};

/// Networks in the precisions that were measured, by number of parameters.
std::vector<Network> networks(const RunView& view, const std::vector<TimingGroup>& groups);

/// Every pair, those of BF16 before FP16 before TF32, by size.
std::vector<Pair> pairs(const std::vector<Network>& networks);

/// The pairs of the first precision, which the answers compare, that have both times of a pass.
std::vector<Pair> compared_pairs(const std::vector<Pair>& pairs, Pass Network::* pass);

/// The values of part (c)'s sentences; `pairs` is not empty.
Facts speedup_facts(const RunView& view, const std::vector<Pair>& pairs);

}  // namespace labreport::benchmarking_mixed_precision
