// Differences between the kernels of two runs: by phase and part of the network, and by the kernel
// family that the libraries chose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"
#include "results/run.h"

namespace labreport {

/// For each precision, compares one step that both runs profiled: preferably of the mode that does
/// most, then of more parameters, then of a longer context. Places match by name
/// (analysis/kernel_places.h). The time of a stage that only one side has counts as remainder of
/// its part of the network.
std::vector<StepDifference> step_differences(const Matching& matching);

/// Returns the kernel's name without return type, namespaces, template arguments, tile sizes and
/// the like: "sm80_xmma_gemm", "cutlass_80_simt_sgemm", "vectorized_elementwise_kernel".
std::string kernel_family(std::string_view name);

/// Compares the longest kernels of both sides for each pair of profiled warm steps and each class
/// of kernels that takes at least 5 % of either step's kernel time. Returns the pairs whose
/// families differ.
std::vector<KernelChange> kernel_changes(const Matching& matching);

}  // namespace labreport
