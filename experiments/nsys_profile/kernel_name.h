// Shortens the names of CUDA kernels for readers.
#pragma once

#include <string>
#include <string_view>

namespace labreport::nsys_profile {

/// Returns the function's name without return type, namespaces, template arguments and parameters.
/// If the template arguments name a functor, it follows: "vectorized_elementwise_kernel (exp)".
std::string short_kernel_name(std::string_view name);

/// Returns a short name as Markdown code. Removes characters that would end the code.
std::string kernel_code(std::string short_name);

}  // namespace labreport::nsys_profile
