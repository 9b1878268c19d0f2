// Softmax and cross-entropy written out in elementary operations.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

/// Along the last dimension: x − max, exp, divide by the sum.
at::Tensor softmax(const at::Tensor& x);

/// Along the last dimension, through log-sum-exp.
at::Tensor log_softmax(const at::Tensor& x);

/// The mean over all positions of −log p(target).
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace labreport
