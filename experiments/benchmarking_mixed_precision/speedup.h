// FP32 beside another precision, network by network, and what their profiles say of the difference.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/facts.h"
#include "experiments/common/ratio.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_mixed_precision {

/// What the kernels of one pass took in one profiled step, in ms. On a CPU: its operators.
struct KernelTime {
  double gemm = 0, copies = 0, others = 0;  ///< `others`: neither of the two.
  double launched = 0;                      ///< How many.

  double rest() const { return copies + others; }
  double total() const { return gemm + rest(); }
  double gemm_share() const { return gemm / total(); }
};

/// One pass of one network: forward, backward, optimizer or the whole step.
struct Pass {
  std::vector<double> base, reduced;  ///< ms in FP32 and in the other precision.
  std::optional<Ratio> speedup;       ///< FP32's time over the other's.
  std::optional<KernelTime> kernels;  ///< FP32's; nothing: not profiled.
  std::optional<KernelTime> reduced_kernels;
  std::optional<bool> launch_bound;  ///< In the other precision; nothing on a CPU.

  Value speedup_value() const;  ///< With its deviation.
};

/// Of one network in two precisions. Both groups have to outlive it.
struct Speedup {
  std::string size;
  Precision precision = Precision::kBf16;
  double parameters = 0;
  const TimingGroup *base = nullptr, *reduced = nullptr;
  Pass forward, backward, optimizer, step;
};

/// "2.7B", with the context where the run has several: its label without the precision.
std::string size_of(const TimingGroup& group);

/// By size, each with every precision that the run holds beside FP32; BF16 before FP16 before TF32.
std::vector<Speedup> speedups(const RunView& view, const std::vector<TimingGroup>& groups);

/// Those of the first precision that have both times of a pass: what answers speak of.
std::vector<Speedup> of_first_precision(const std::vector<Speedup>& rows, Pass Speedup::* pass);

/// "train step: out of memory …": why the fullest step of a network did not run; empty where it
/// did.
std::string missing_step(const TimingGroup& group);

/// What the answer of part (c) can say; `rows` is not empty.
Facts speedup_facts(const RunView& view, const std::vector<Speedup>& rows,
                    const std::vector<TimingGroup>& groups);

}  // namespace labreport::benchmarking_mixed_precision
