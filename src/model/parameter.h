// Trainable tensors with the names that the Python reference gives them.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace labreport {

struct Parameter {
  std::string name;  ///< "layers.0.attn.q_proj.weight"
  at::Tensor tensor;
  std::optional<double> std = {};  ///< To be drawn with, see `initialize`; absent: it is not.
};

using Parameters = std::vector<Parameter>;

std::int64_t count_bytes(const Parameters& parameters);

/// Drops every gradient, as `zero_grad(set_to_none=True)` does.
void clear_gradients(const Parameters& parameters);

}  // namespace labreport
