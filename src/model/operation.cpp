#include "model/operation.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>

namespace labreport {

at::Tensor Kept::take(std::size_t index) {
  at::Tensor tensor = saved_.at(index).unpack();
  saved_[index].reset_data();
  return tensor;
}

class Operation::Node : public torch::autograd::Node {
 public:
  explicit Node(const char* name) : name_(name) {}

  std::vector<at::Tensor> apply(std::vector<at::Tensor>&& gradients) override {
    const at::AutoDispatchBelowADInplaceOrView unseen;
    return backward(std::move(gradients.front()), kept);
  }
  void release_variables() override { kept.clear(); }
  std::string name() const override { return std::string(name_) + "Backward"; }

  Kept kept;
  Backward backward;

 private:
  const char* name_;
};

void Operation::begin(const char* name, std::initializer_list<const at::Tensor*> inputs) {
  const bool wanted = std::ranges::any_of(inputs, [](auto* x) { return x->requires_grad(); });
  if (wanted && c10::GradMode::is_enabled()) {
    node_ = make_node<Node>(name);
    for (const at::Tensor* input : inputs) {
      node_->add_next_edge(torch::autograd::impl::gradient_edge(*input));
    }
  }
  if (auto listeners = at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION)) {
    recorded_.emplace(std::move(*listeners));
    recorded_->before(name, node_ ? static_cast<std::int64_t>(node_->sequence_nr()) : -1);
  }
}

Operation::Node& Operation::node() const { return static_cast<Node&>(*node_); }

void Operation::keep_one(const at::Tensor& tensor) { node().kept.keep(tensor); }

at::Tensor Operation::finish(at::Tensor output, Backward backward) {
  if (node_) {
    node().backward = std::move(backward);
    torch::autograd::set_history(output, node_);
  }
  return output;
}

}  // namespace labreport
