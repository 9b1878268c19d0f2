// Compares times and kernels of a network's passes in FP32 and in another precision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outliers.h"
#include "document/facts.h"
#include "experiments/common/bound.h"
#include "experiments/common/phases.h"
#include "experiments/common/ratio.h"

namespace labreport::benchmarking_mixed_precision {

/// The forward pass, the backward pass or the whole step.
struct MeasuredPass {
  std::vector<double> times_ms;        ///< One for each step after the warm-up; may be empty.
  std::optional<KernelTimes> kernels;  ///< Empty for whole steps and if no step was profiled.

  double typical_ms() const { return typical_time(times_ms); }
};

/// One network in one precision. It does not own `group`, which has to outlive it.
struct MeasuredNetwork {
  const TimingGroup* group;
  MeasuredPass forward, backward, step;
  std::optional<Bound> bound;  ///< See `NetworkBounds::bound`; empty on a CPU.
  bool is_bound_profiled;      ///< See `NetworkBounds::is_profiled`.

  std::string size_label() const;  ///< "2.7B", with the context if the run has several.
  std::string_view precision() const;
  std::string missing_reason() const;  ///< "training step: out of memory …"; empty if it ran.
};

using PassOfNetwork = MeasuredPass MeasuredNetwork::*;

/// One network in FP32 and in another precision.
struct PrecisionPair {
  const MeasuredNetwork *fp32, *other;

  std::string size_label() const { return other->size_label(); }
  std::string precision() const { return std::string(other->precision()); }
  std::optional<Ratio> speedup(PassOfNetwork pass) const;  ///< FP32 time / other time.
  /// True if forward and backward clearly differ in time between the precisions; both must be
  /// timed.
  bool is_clear() const {
    return speedup(&MeasuredNetwork::forward)->is_clear() &&
           speedup(&MeasuredNetwork::backward)->is_clear();
  }
  /// FP32 kernels' time / other kernels' time; empty unless both were profiled.
  std::optional<double> kernel_speedup(PassOfNetwork pass) const;
  /// Launch-bound if either network is, else mixed if either is; empty on a CPU.
  std::optional<Bound> bound() const;
  /// True unless the CPU sets some time of either network. Only then is a speedup the device's.
  bool is_of_device() const { return bound().value_or(Bound::kDevice) == Bound::kDevice; }
};

using MeasuredNetworks = std::vector<MeasuredNetwork>;
using PrecisionPairs = std::vector<PrecisionPair>;

/// Sorts networks by context, number of parameters and precision (FP32, BF16, FP16, TF32).
MeasuredNetworks measured_networks(const RunView& view, const std::vector<TimingGroup>& groups);

/// Pairs each other precision of a network with its FP32. BF16 pairs come before FP16 and TF32
/// pairs; within a precision the order of `networks` is kept.
PrecisionPairs precision_pairs(const MeasuredNetworks& networks);

/// Returns the pairs that answers use: those in the first pair's precision that timed `pass` in
/// both precisions.
PrecisionPairs compared_pairs(const PrecisionPairs& pairs, PassOfNetwork pass);

/// Names the times that the CPU sets: "the times of small (launch-bound) and some of xl (mixed)",
/// or "at least some times of xl" if no profile shows the others. Empty if there are none.
std::string times_of_cpu(const MeasuredNetworks& networks);

/// Returns the values of part (c)'s sentences. `compared` are the pairs in `precision` that timed
/// both passes.
Facts speedup_facts(const RunView& view, const std::string& precision,
                    const PrecisionPairs& compared);

}  // namespace labreport::benchmarking_mixed_precision
