#include "model/checkpoint.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include "base/error.h"
#include "engine/precision.h"
#include "engine/range.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kAgain = "again";

/// The data that backward needs besides the input.
struct Again : torch::CustomClassHolder {
  Again(Stretch of, AutocastState under) : stretch(std::move(of)), autocast(under) {}
  Stretch stretch;
  AutocastState autocast;
};

at::Tensor run_again(const Again& again, const at::Tensor& input) {
  Range range(metric::kRecompute);
  const c10::AutoGradMode recording(true);
  const AutocastScope autocast(again.autocast);
  return again.stretch(input);
}

struct Checkpoint : torch::autograd::Function<Checkpoint> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            const c10::intrusive_ptr<Again>& again) {
    context->save_for_backward({input});
    context->saved_data[kAgain] = c10::IValue::make_capsule(again);
    return again->stretch(input);  // autograd does not record here
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto held = context->saved_data.at(kAgain).toCapsule();
    at::Tensor input = context->get_saved_variables().front().detach().requires_grad_();
    const at::Tensor output = run_again(static_cast<const Again&>(*held), input);
    torch::autograd::backward({output}, gradients);
    return {input.grad(), {}};
  }
};

}  // namespace

at::Tensor checkpoint(Stretch stretch, const at::Tensor& input) {
  if (c10::GradMode::is_enabled() && !input.requires_grad()) {
    throw Error("a checkpoint's input requires no gradient, so its parameters would get none");
  }
  const AutocastState autocast = autocast_state(input.device().type());
  return Checkpoint::apply(input, c10::make_intrusive<Again>(std::move(stretch), autocast));
}

}  // namespace labreport
