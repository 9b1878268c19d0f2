// Compares the kernels of two runs: their times by phase and part of the network, and the kernel
// families that the libraries chose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"
#include "results/run.h"

namespace labreport {

/// Compares, for each precision, one step that both runs profiled: the mode that does most, among
/// its steps the network with most parameters, then the longest context. Places match by name
/// (analysis/kernel_places.h). The time of a stage that only one side has counts to the rest of its
/// part of the network.
std::vector<StepDifference> step_differences(const Matching& matching);

/// Returns the kernel's name without return type, namespaces, template arguments, tile sizes and
/// the like: "sm80_xmma_gemm", "cutlass_80_simt_sgemm", "vectorized_elementwise_kernel".
std::string kernel_family(std::string_view name);

/// Compares the longest kernels of both sides, for each pair of profiled warm steps and each class
/// of kernels that takes at least 5 % of the kernel time in one of the two steps. Returns the
/// longest kernels whose families differ.
std::vector<KernelChange> kernel_changes(const Matching& matching);

}  // namespace labreport
