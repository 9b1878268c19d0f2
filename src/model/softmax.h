// Softmax and cross-entropy in elementary operations.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

/// Computes softmax along the last dimension: x − max, exp, division by the sum.
at::Tensor softmax(const at::Tensor& x);

/// Computes the logarithm of softmax along the last dimension by log-sum-exp.
at::Tensor log_softmax(const at::Tensor& x);

/// Returns the mean of −log p(target) over all positions.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace labreport
