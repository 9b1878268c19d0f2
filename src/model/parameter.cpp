#include "model/parameter.h"

namespace labreport {

std::int64_t count_bytes(const Parameters& parameters) {
  std::int64_t bytes = 0;
  for (const Parameter& parameter : parameters)
    bytes += static_cast<std::int64_t>(parameter.tensor.nbytes());
  return bytes;
}

std::vector<at::Tensor> tensors_of(const Parameters& parameters) {
  std::vector<at::Tensor> tensors;
  for (const Parameter& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

void clear_gradients(const Parameters& parameters) {
  for (const Parameter& parameter : parameters) parameter.tensor.mutable_grad().reset();
}

}  // namespace labreport
