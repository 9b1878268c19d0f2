// Lists the tensors that autograd saves for backward, like Python's saved-tensor hooks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// "<dtype> [d0, d1]" of each tensor that `work` makes autograd save, sorted: what several
/// operations save in one shape counts once, and numbers saved as tensors without a dimension do
/// not. `work` has to leave its graph alive, so that no two tensors share an address.
std::vector<std::string> saved_for_backward(const std::function<void()>& work);

}  // namespace labreport
