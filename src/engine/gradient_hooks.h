// Reports each parameter's gradient as soon as backward has computed it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace labreport {

class GradientHooks {
 public:
  /// Called with the parameter's index, once in each backward pass, after its gradient is complete.
  using Ready = std::function<void(std::size_t)>;

  /// Hooks leaf tensors that require gradients, until it is destroyed. `ready` runs on the thread
  /// of backward, after the hooks that existed before.
  GradientHooks(const std::vector<at::Tensor>& parameters, Ready ready);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  struct Hooked;
  std::vector<Hooked> hooked_;
};

}  // namespace labreport
