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
  /// Called with a parameter's index when backward has completed that parameter's gradient.
  using ReadyCallback = std::function<void(std::size_t)>;

  /// Hooks the parameters until destruction; they must be leaf tensors that require gradients.
  /// `on_ready` runs on autograd's thread, after hooks that were registered earlier.
  GradientHooks(const std::vector<at::Tensor>& parameters, ReadyCallback on_ready);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  struct Hook;
  std::vector<Hook> hooks_;
};

}  // namespace labreport
