// Shortens kernel names for readers.
#pragma once

#include <string>
#include <string_view>

namespace labreport::nsys_profile {

/// The function's name without return type, namespaces, template arguments and parameters, followed
/// by what an elementwise kernel computes: "vectorized_elementwise_kernel (exp)".
std::string short_kernel_name(std::string_view name);

/// A short name as Markdown code; characters that would end the code are removed.
std::string kernel_code(std::string short_name);

}  // namespace labreport::nsys_profile
