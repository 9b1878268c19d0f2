// Rotary position embedding.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace labreport {

/// Rotates each pair of neighboring elements, 2i and 2i + 1, by an angle that grows with the
/// position. The output holds the first elements of all rotated pairs, then the second ones.
class Rotary {
 public:
  Rotary(std::int64_t context, std::int64_t d_head, c10::Device device);
  /// Input and output have the shape [..., positions, d_head].
  at::Tensor forward(const at::Tensor& x) const;
  std::vector<at::Tensor> tables() const { return {cos_, sin_}; }

 private:
  /// Both tables have the shape [context, d_head / 2].
  at::Tensor cos_, sin_;
};

}  // namespace labreport
