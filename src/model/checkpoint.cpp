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

constexpr const char* kPart = "part";

/// The part's function and forward's autocast settings, which backward needs besides the input.
struct Part : torch::CustomClassHolder {
  Part(CheckpointedFunction f, AutocastState state) : function(std::move(f)), autocast(state) {}
  CheckpointedFunction function;
  AutocastState autocast;
};

struct Checkpoint : torch::autograd::Function<Checkpoint> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input,
                            const c10::intrusive_ptr<Part>& part) {
    context->save_for_backward({input});
    context->saved_data[kPart] = c10::IValue::make_capsule(part);
    return part->function(input);  // autograd does not record here
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto capsule = context->saved_data.at(kPart).toCapsule();
    at::Tensor input = context->get_saved_variables().front().detach().requires_grad_();
    const auto& part = static_cast<const Part&>(*capsule);
    at::Tensor output;
    {
      const Range range(metric::kRecomputeTime);
      const c10::AutoGradMode recording(true);
      const AutocastScope autocast(part.autocast);
      output = part.function(input);
    }
    torch::autograd::backward({output}, gradients);
    return {input.grad(), {}};
  }
};

}  // namespace

at::Tensor checkpoint(CheckpointedFunction function, const at::Tensor& input) {
  if (c10::GradMode::is_enabled() && !input.requires_grad()) {
    throw Error("a checkpoint's input requires no gradient, so its parameters would get none");
  }
  const AutocastState autocast = autocast_state(input.device().type());
  return Checkpoint::apply(input, c10::make_intrusive<Part>(std::move(function), autocast));
}

}  // namespace labreport
