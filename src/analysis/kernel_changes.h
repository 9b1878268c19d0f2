// Kernels that the libraries chose differently on either side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"

namespace labreport {

/// What a kernel's name says of the code behind it: without return type, namespaces, template
/// arguments, tile sizes and the like. "sm80_xmma_gemm", "cutlass_80_simt_sgemm",
/// "vectorized_elementwise_kernel".
std::string kernel_family(std::string_view name);

/// For each pair of profiled warm steps and each class of kernels that takes at least a twentieth
/// of either step: the two longest kernels, where their families differ.
std::vector<KernelChange> kernel_changes(const Matching& matching);

}  // namespace labreport
