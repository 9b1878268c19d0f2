// What kind of work a kernel does, by the operator that launched it.
#pragma once

#include <string_view>

#include "measure/kernels/attribution.h"

namespace labreport {

/// "gemm": a kernel whose innermost ATen operator is mm, addmm, bmm or baddbmm, and which is the
/// longest of that call; what else the call launched (reductions of split-K and the like) is a
/// "gemm helper", a memset always "memset". What Inductor
/// generated is "fused". The rest by operator: "exponential", "where",
/// "reduction", "copy", "gather", "elementwise"; "other" for operators that it does not know.
std::string_view kernel_class(const Attributed& kernel, bool longest_of_its_call);

bool is_matrix_product(std::string_view op);

}  // namespace labreport
