// FP32 against another precision, network by network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/common/phases.h"
#include "experiments/common/ratio.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_mixed_precision {

/// One network in two precisions. The groups live as long as the rows.
struct Speedup {
  std::string size;       ///< Label, with the context where the run has several.
  std::string precision;  ///< Of the faster hope: "BF16"
  Precision reduced_precision = Precision::kBf16;
  double parameters = 0;
  Phases base, reduced;                         ///< FP32 and the other.
  std::vector<double> base_step, reduced_step;  ///< Whole train steps.
  std::optional<double> base_share,
      reduced_share;  ///< Of the measured peak, by the fullest step of both.
  std::optional<Ratio> forward, backward, step;  ///< FP32's time over the other's.
  std::optional<Bound> base_bound, reduced_bound;
  std::vector<PhaseLag> reduced_lags;
  bool base_fits = true, reduced_fits = true;  ///< False: out of memory, or skipped for its size.
  std::string base_missing, reduced_missing;   ///< Why there are no numbers; may be empty.
};

/// Why a network's fullest step has no numbers; empty when it has.
std::string missing_step(const TimingGroup& group);

/// Networks by size, each with every precision beside FP32 that the run holds: those of the
/// precision that answers speak of first, which is BF16, else FP16, else TF32.
std::vector<Speedup> speedups(const RunView& view);

}  // namespace labreport::benchmarking_mixed_precision
