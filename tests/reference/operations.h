// Lists the operators that run, from LibTorch's profilers.
#pragma once

#include <cstdint>

#include <functional>
#include <string>
#include <vector>

namespace labreport {

/// One call of an operator. The calls that it makes are one level deeper.
struct OperatorCall {
  std::int64_t depth = 0;
  std::string name;         ///< "aten::mul"
  std::string input_sizes;  ///< Number of elements of each input tensor: " 64 8".
};

/// Returns the calls of `work` on this thread in order; on a CPU they include backward.
std::vector<OperatorCall> operators_of(const std::function<void()>& work);

/// Describes each call that computes or copies, "mul 64 8". Calls that only make others compute,
/// name a view or allocate are left out.
std::vector<std::string> describe_computing_calls(const std::vector<OperatorCall>& calls);

}  // namespace labreport
