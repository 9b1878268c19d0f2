// Computes the rates of a network's GEMMs from the kernels of a profiled step.
#pragma once

#include <optional>

#include "results/run.h"

namespace labreport {

/// Returns the highest rate, in FLOP/s, of the profiled step's GEMMs. A rate is the FLOPs of one
/// module's GEMMs in one phase, by formula, divided by the time of their kernels, with the kernels
/// that split or finish a GEMM. Returns nothing for a user's network, whose FLOPs are not known,
/// and for a launch without kernels.
std::optional<double> fastest_gemm_rate(const CellSpec& spec, const Launch& launch);

}  // namespace labreport
