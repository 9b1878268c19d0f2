#include "model/softmax.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log.h>
#include <ATen/ops/max.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/value_selecting_reduction_backward.h>

#include <tuple>

#include "model/operation.h"

namespace labreport {
namespace {

// `max` with indices: for backward it keeps these, where `amax` would keep all of `x`.
at::Tensor shifted_by_maximum(const at::Tensor& x) {
  return x - std::get<0>(at::max(x, -1, /*keepdim=*/true));
}

at::Tensor shifted_by_maximum(const at::Tensor& x, Operation& operation) {
  const auto [maximum, indices] = at::max(x, -1, /*keepdim=*/true);
  operation.keep(indices);
  return x - maximum;
}

at::Tensor sum_last(const at::Tensor& x) { return at::sum(x, -1, /*keepdim=*/true); }

/// Of the divisor, before it is summed. The kernels have the order of autograd's formula.
at::Tensor divisor_backward(const at::Tensor& gradient, const at::Tensor& exponentials,
                            const at::Tensor& sums) {
  const at::Tensor quotient = exponentials / sums;
  const at::Tensor squared = quotient / sums;
  return -gradient * squared;
}

/// Through exponentials / sum(exponentials) and exp.
at::Tensor quotient_backward(at::Tensor gradient, const at::Tensor& exponentials,
                             const at::Tensor& sums) {
  at::Tensor of_sums = divisor_backward(gradient, exponentials, sums);
  gradient = gradient / sums;
  of_sums = sum_last(of_sums);
  gradient.add_(of_sums.expand_as(gradient));
  return gradient * exponentials;
}

/// Through x − max(x).
at::Tensor shift_backward(at::Tensor gradient, const at::Tensor& indices) {
  const at::Tensor of_maximum = sum_last(-gradient);
  return gradient.add_(at::value_selecting_reduction_backward(of_maximum, -1, indices,
                                                              gradient.sizes(), /*keepdim=*/true));
}

}  // namespace

at::Tensor softmax(const at::Tensor& x) {
  Operation operation("Softmax", x);
  at::Tensor shifted = shifted_by_maximum(x, operation);
  at::Tensor exponentials = at::exp(shifted);
  at::Tensor sums = sum_last(exponentials);
  operation.keep(exponentials, sums);
  const auto backward = [type = x.scalar_type()](at::Tensor gradient, Kept& kept) {
    gradient = quotient_backward(std::move(gradient), kept.take(1), kept.take(2));
    gradient = gradient.to(type);
    return std::vector{shift_backward(std::move(gradient), kept.take(0))};
  };
  return operation.finish(exponentials / sums, backward);
}

at::Tensor log_softmax(const at::Tensor& x) {
  at::Tensor shifted = shifted_by_maximum(x);
  at::Tensor sums = sum_last(at::exp(shifted));
  return shifted - at::log(sums);
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  at::Tensor log_probabilities = log_softmax(logits);
  return log_probabilities.gather(-1, targets.unsqueeze(-1)).mean().neg();
}

}  // namespace labreport
