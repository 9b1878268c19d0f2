// Layer normalization in elementary steps, each compared with FP64.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

enum class NormMethod {
  kRoundEveryAddition,  ///< Sequential additions, each rounded to x's dtype.
  kTorchReductions,     ///< LibTorch's means: wider accumulators, results rounded to x's dtype.
  kFp32Statistics,      ///< All steps in FP32, output rounded to x's dtype.
};

/// Weight and bias for the last dimension.
struct Affine {
  at::Tensor weight, bias;
};

/// Errors relative to FP64 on the same x; 0 is exact. Each tensor has one value for each vector:
/// the shape of x without its last dimension. The mean's error is divided by the standard
/// deviation, the errors of variance and rstd by the FP64 value. For squares and output, the norm
/// of the difference is divided by the FP64 norm. An error is infinite if a finite FP64 value
/// became infinite or NaN, and NaN if the FP64 value is not finite.
struct NormErrors {
  at::Tensor mean, squares, variance, rstd, output;
  at::Tensor input_overflow;   ///< bool: x has an infinity.
  at::Tensor square_overflow;  ///< bool: x is finite, but a centered square is not.
  at::Tensor sum_overflow;     ///< bool: all squares are finite, but their sum is not.
  at::Tensor underflow;        ///< bool: the variance is zero.
};

/// Computes (x - mean) / sqrt(variance + 1e-5) * weight + bias over the last dimension of x by
/// `method`, and returns the errors on the host.
NormErrors errors_of(const at::Tensor& x, const Affine& affine, NormMethod method);

}  // namespace labreport
