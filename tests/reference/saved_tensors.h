// Lists the tensors that autograd saves for backward, like Python's saved-tensor hooks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// Returns "<dtype> [d0, d1]" of each tensor that autograd saves during `work`, sorted. A tensor
/// that several operations save in one shape counts once; tensors without a dimension do not count.
/// `work` must keep its graph alive, so that no two tensors share an address.
std::vector<std::string> saved_for_backward(const std::function<void()>& work);

}  // namespace labreport
