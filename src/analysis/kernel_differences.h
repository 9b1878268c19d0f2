// Differences between the kernels of two runs: by phase and part of the network, and by the kernel
// family that the libraries chose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"
#include "results/run.h"

namespace labreport {

/// Returns one matched profiled step for each precision: the mode that does most, of the largest
/// network at the longest context. Places match by name (analysis/kernel_places.h). If only one
/// side has a stage of a part, it is added to the rest of that part on both sides.
std::vector<StepDifference> step_differences(const Matching& matching);

/// Returns the kernel's name without return type, namespaces, template arguments, tile sizes and
/// the like: "sm80_xmma_gemm", "cutlass_80_simt_sgemm", "vectorized_elementwise_kernel".
std::string kernel_family(std::string_view name);

/// Compares the longest kernels of both sides for each pair of profiled warm steps and each class
/// of kernels that takes at least a twentieth of either step. Returns those whose families differ.
std::vector<KernelChange> kernel_changes(const Matching& matching);

}  // namespace labreport
