#include "model/network.h"

#include <utility>

#include "model/transformer.h"

namespace labreport {
namespace {

std::unique_ptr<Network> make_own(const NetworkSpec& spec, c10::Device device) {
  if (!spec.implementation.empty()) {
    throw InputError("this worker does not load '" + spec.implementation + "'",
                     "it measures labreport's own network; another worker runs other models");
  }
  return std::make_unique<Transformer>(spec.shape, spec.context, device, spec.variant, spec.group);
}

NetworkFactory registered = make_own;

}  // namespace

void set_network_factory(NetworkFactory factory) {
  registered = factory ? std::move(factory) : make_own;
}

std::unique_ptr<Network> make_network(const NetworkSpec& spec, c10::Device device) {
  return registered(spec, device);
}

}  // namespace labreport
