// Where the kernels of two runs differ: by phase and part of the network, and by the family that
// the libraries chose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"
#include "results/run.h"

namespace labreport {

/// Of the matched profiled steps one a precision: the step that holds most, of the largest network
/// at the longest context. Places match by their names (analysis/kernel_places.h); a part of one
/// that the other side does not have is added to the place around it, on both sides.
std::vector<StepDifference> step_differences(const Matching& matching);

/// What a kernel's name says of the code behind it: without return type, namespaces, template
/// arguments, tile sizes and the like. "sm80_xmma_gemm", "cutlass_80_simt_sgemm",
/// "vectorized_elementwise_kernel".
std::string kernel_family(std::string_view name);

/// For each pair of profiled warm steps and each class of kernels that takes at least a twentieth
/// of either step: the two longest kernels, where their families differ.
std::vector<KernelChange> kernel_changes(const Matching& matching);

}  // namespace labreport
