// AdamW without fused kernels, which updates one parameter after another.
#pragma once

#include <vector>

#include "model/network.h"

namespace labreport {

struct AdamWOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
};

/// Each step first decays the weights, then replaces the moments by new tensors, and then updates
/// the weights. The first step creates the moments.
class AdamW : public Optimizer {
 public:
  explicit AdamW(Parameters parameters, AdamWOptions options = {});

  /// Skips parameters without a gradient.
  void step() override;

  /// Returns the moments, named "fc1.weight.m" and "fc1.weight.v"; empty before the first step.
  Parameters state() const override;

 private:
  struct ParameterState {
    std::string name;
    at::Tensor parameter;
    at::Tensor m, v;
    std::int64_t steps = 0;
  };
  void update(ParameterState& state) const;

  AdamWOptions options_;
  std::vector<ParameterState> states_;
};

}  // namespace labreport
