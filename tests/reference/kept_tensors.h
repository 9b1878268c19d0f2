// What autograd keeps for backward, seen as Python's saved-tensor hooks see it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// "<dtype> [d0, d1]" of each tensor that `work` makes autograd keep, sorted: what several
/// operations keep in one shape counts once, and numbers kept as tensors without a dimension do
/// not. `work` has to leave its graph alive, so that no two tensors share an address.
std::vector<std::string> kept_for_backward(const std::function<void()>& work);

}  // namespace labreport
