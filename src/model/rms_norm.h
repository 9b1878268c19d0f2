// Root-mean-square normalization.
#pragma once

#include <string>

#include "model/parameter.h"

namespace labreport {

/// Computes in FP32 for any input dtype; the output has the input's dtype.
class RmsNorm {
 public:
  RmsNorm(std::int64_t d_model, c10::Device device);
  at::Tensor forward(const at::Tensor& x) const;
  void append_parameters(const std::string& path, Parameters& parameters) const;

 private:
  at::Tensor weight_;
};

}  // namespace labreport
