// AdamW by PyTorch's fused kernels, which update many parameters at once.
#pragma once

#include <vector>

#include "model/adamw.h"

namespace labreport {

/// Counts steps on the device, so a CUDA graph can capture a step. The constructor creates the
/// moments, and step() updates them in place.
class FusedAdamW : public Optimizer {
 public:
  explicit FusedAdamW(const Parameters& parameters);

  /// Every parameter must have a gradient.
  void step() override;

  Parameters state() const override;

 private:
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_, m_, v_, step_counts_;
};

}  // namespace labreport
