// The course handout's toy model, which shows autocast's effect on each kind of layer.
#pragma once

#include <functional>
#include <string_view>

#include "model/parameter.h"

namespace labreport {

/// Linear(d_in → 10), ReLU, LayerNorm(10), Linear(10 → d_out); the linear layers have no bias.
class ToyModel {
 public:
  /// Called with each module's name and its output while the output is alive.
  using OutputCallback = std::function<void(std::string_view module, const at::Tensor& output)>;

  ToyModel(std::int64_t d_in, std::int64_t d_out, c10::Device device);

  /// Maps [batch, d_in] to [batch, d_out].
  at::Tensor forward(const at::Tensor& x, const OutputCallback& on_output) const;
  const Parameters& parameters() const { return parameters_; }

 private:
  at::Tensor fc1_, ln_weight_, ln_bias_, fc2_;
  Parameters parameters_;
};

}  // namespace labreport
