// Trainable tensors with the names of the Python reference.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace labreport {

struct Parameter {
  std::string name;  ///< "layers.0.attn.q_proj.weight"
  at::Tensor tensor;
  std::optional<double> std = {};  ///< Standard deviation of initial values, see `initialize`;
                                   ///< absent if they are not drawn.
};

using Parameters = std::vector<Parameter>;

std::int64_t count_bytes(const Parameters& parameters);

std::vector<at::Tensor> tensors_of(const Parameters& parameters);

/// Removes every gradient, like `zero_grad(set_to_none=True)`.
void clear_gradients(const Parameters& parameters);

}  // namespace labreport
