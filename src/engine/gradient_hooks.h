// Who wants to know when a parameter's gradient is there, in the middle of backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace labreport {

class GradientHooks {
 public:
  /// Gets a parameter's place in the list, once a backward pass, after its gradient was added up.
  using Ready = std::function<void(std::size_t)>;

  /// Of leaves that autograd trains. `ready` runs on the thread that backward runs on, after the
  /// hooks that were there before. Until it is destroyed.
  GradientHooks(const std::vector<at::Tensor>& parameters, Ready ready);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  struct Hooked;
  std::vector<Hooked> hooked_;
};

}  // namespace labreport
