// C and W: the handout's, a data sheet's, and those that the run measured of its own machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/view.h"
#include "experiments/parallel_arithmetic/formulas.h"

namespace labreport::parallel_arithmetic {

struct Machine {
  std::string words;  ///< "the handout's"; "this machine, BF16 and NCCL, 2 ranks"
  std::optional<double> flops = {}, bytes = {};  ///< per second
  std::string missing = {};                      ///< Why a rate is missing; empty if both are
                                                 ///< known.
  std::string egress = {};                       ///< How `bytes` was obtained: "fitted".

  std::optional<Rates> rates() const;
};

/// FLOP/s of the GEMMs that the run's limits hold, in 16 bits where they do; bytes a second that
/// leave a rank in the all-reduce fit (as busbw) of the fewest ranks that ran, or, where the fit
/// misses a size by more than a quarter, at the largest size that was measured.
Machine measured_machine(const RunView& view, const std::vector<Precision>& preferred);

/// True if the run has the cells on which these problems are presented; see `plan`.
bool asked(const RunView& view);

}  // namespace labreport::parallel_arithmetic
