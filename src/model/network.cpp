#include "model/network.h"

#include <utility>

#include "model/transformer.h"

namespace labreport {
namespace {

std::unique_ptr<Network> make_transformer(const NetworkSpec& spec, c10::Device device) {
  if (!spec.implementation.empty()) {
    throw InputError("this worker does not load '" + spec.implementation + "'",
                     "it measures labreport's own network; another worker runs other models");
  }
  return std::make_unique<Transformer>(spec.shape, spec.context, device, spec.variant,
                                       spec.blocks_per_checkpoint);
}

NetworkFactory current_factory = make_transformer;

}  // namespace

StateBytes Network::state_bytes(const Optimizer& optimizer) const {
  StateBytes bytes{count_bytes(parameters()), 0, count_bytes(optimizer.state())};
  for (const Parameter& parameter : parameters()) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined()) bytes.gradients += static_cast<std::int64_t>(gradient.nbytes());
  }
  return bytes;
}

void set_network_factory(NetworkFactory factory) {
  current_factory = factory ? std::move(factory) : make_transformer;
}

std::unique_ptr<Network> make_network(const NetworkSpec& spec, c10::Device device) {
  return current_factory(spec, device);
}

}  // namespace labreport
