// Kernel names as readers can take them in.
#pragma once

#include <string>
#include <string_view>

namespace labreport::nsys_profile {

/// The function's own name without return type, namespaces, template arguments and parameters, and
/// behind it what an elementwise kernel computes: "vectorized_elementwise_kernel (exp)".
std::string short_kernel_name(std::string_view name);

/// A short name as Markdown code, whatever characters it holds.
std::string kernel_code(std::string short_name);

}  // namespace labreport::nsys_profile
