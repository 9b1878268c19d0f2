// Rotary position embedding.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace labreport {

/// Rotates pairs of neighbors by an angle that grows with the position; the output is the
/// concatenation of its two rotated halves.
class Rotary {
 public:
  Rotary(std::int64_t context, std::int64_t d_head, c10::Device device);
  /// [..., positions, d_head]
  at::Tensor forward(const at::Tensor& x) const;
  std::vector<at::Tensor> tables() const { return {cos_, sin_}; }

 private:
  at::Tensor cos_;  ///< [context, d_head / 2]
  at::Tensor sin_;
};

}  // namespace labreport
