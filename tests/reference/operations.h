// Lists the operators that run, from LibTorch's profilers.
#pragma once

#include <cstdint>

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// One call, in the order in which calls begin; the calls that it makes are one level deeper.
struct OperatorCall {
  std::int64_t depth = 0;
  std::string name;     ///< "aten::mul"
  std::string numbers;  ///< The elements of each tensor that it is given: " 64 8"
};

/// The operators that `work` calls on this thread, which include backward on a CPU.
std::vector<OperatorCall> operators_of(const std::function<void()>& work);

/// Describes each call that computes or copies, "mul 64 8". Calls that only make others compute,
/// name a view or allocate are left out.
std::vector<std::string> computing(const std::vector<OperatorCall>& calls);

}  // namespace labreport
