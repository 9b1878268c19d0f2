#include "engine/gradient_hooks.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace labreport {
namespace {

class ReadyHook : public torch::autograd::FunctionPostHook {
 public:
  ReadyHook(std::size_t index, GradientHooks::ReadyCallback on_ready)
      : index_(index), on_ready_(std::move(on_ready)) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    on_ready_(index_);
    return outputs;
  }

 private:
  std::size_t index_;
  GradientHooks::ReadyCallback on_ready_;
};

}  // namespace

/// Keeps the node that accumulates a gradient alive, since the parameter holds it weakly.
struct GradientHooks::Hook {
  std::shared_ptr<torch::autograd::Node> accumulator;
  std::uintptr_t key;
};

GradientHooks::GradientHooks(const std::vector<at::Tensor>& parameters, ReadyCallback on_ready) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto accumulator = torch::autograd::impl::grad_accumulator(parameters[i]);
    const auto key = accumulator->add_post_hook(std::make_unique<ReadyHook>(i, on_ready));
    hooks_.push_back({std::move(accumulator), key});
  }
}

GradientHooks::~GradientHooks() {
  for (const Hook& hook : hooks_) hook.accumulator->del_post_hook(hook.key);
}

}  // namespace labreport
