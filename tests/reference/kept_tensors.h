// What autograd keeps for backward, seen as Python's saved-tensor hooks see it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// "<dtype> [d0, d1]" of each tensor that `work` makes autograd keep, sorted; numbers kept as
/// tensors without a dimension are left out.
std::vector<std::string> kept_for_backward(const std::function<void()>& work);

}  // namespace labreport
