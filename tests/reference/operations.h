// Which operators run, as LibTorch's profilers see them.
#pragma once

#include <cstdint>

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// One call, in the order in which calls begin; those that it makes in turn lie one level deeper.
struct OperatorCall {
  std::int64_t depth = 0;
  std::string name;     ///< "aten::mul"
  std::string numbers;  ///< The elements of each tensor that it is given: " 64 8"
};

/// What `work` calls on this thread, backward on a CPU among it.
std::vector<OperatorCall> operators_of(const std::function<void()>& work);

/// "mul 64 8" of each call that computes or copies: those that make others do it, name a view or
/// ask for memory are left out.
std::vector<std::string> computing(const std::vector<OperatorCall>& calls);

}  // namespace labreport
