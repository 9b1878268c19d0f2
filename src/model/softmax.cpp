#include "model/softmax.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log.h>
#include <ATen/ops/max.h>
#include <ATen/ops/sum.h>

#include <tuple>

namespace labreport {
namespace {

// Subtracts the maximum. Backward of `max` saves only indices; that of `amax` saves all of `x`.
at::Tensor shifted_by_maximum(const at::Tensor& x) {
  return x - std::get<0>(at::max(x, -1, /*keepdim=*/true));
}

at::Tensor sum_over_last_dimension(const at::Tensor& x) { return at::sum(x, -1, /*keepdim=*/true); }

}  // namespace

at::Tensor softmax(const at::Tensor& x) {
  at::Tensor shifted = shifted_by_maximum(x);
  at::Tensor exponentials = at::exp(shifted);
  return exponentials / sum_over_last_dimension(exponentials);
}

at::Tensor log_softmax(const at::Tensor& x) {
  at::Tensor shifted = shifted_by_maximum(x);
  return shifted - at::log(sum_over_last_dimension(at::exp(shifted)));
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  return log_softmax(logits).gather(-1, targets.unsqueeze(-1)).mean().neg();
}

}  // namespace labreport
