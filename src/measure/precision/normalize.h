// Layer normalization in elementary steps, each compared with FP64.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

enum class NormMethod {
  kRoundEveryAddition,  ///< Sequential additions, each rounded to x's dtype.
  kOwnReductions,       ///< LibTorch's means: wider accumulators, result rounded to x's dtype.
  kFp32Statistics,      ///< All steps in FP32, output rounded to x's dtype.
};

/// Weight and bias for the last dimension.
struct Affine {
  at::Tensor weight;
  at::Tensor bias;
};

/// Each tensor has one value for each vector: the shape of x without its last dimension. Errors are
/// relative to the same steps in FP64 on the same x: the mean's to the standard deviation, squares
/// and output by norms. A step that loses a finite value has an infinite error; a step without a
/// finite FP64 value has NaN.
struct NormErrors {
  at::Tensor mean;
  at::Tensor squares;
  at::Tensor variance;
  at::Tensor rstd;
  at::Tensor output;
  at::Tensor input_overflow;   ///< bool: x has an infinity.
  at::Tensor square_overflow;  ///< bool: x is finite, but a centered square is not.
  at::Tensor sum_overflow;     ///< bool: all squares are finite, but their sum is not.
  at::Tensor underflow;        ///< bool: the variance is zero.
};

/// Computes (x - mean) / sqrt(variance + 1e-5) * weight + bias over the last dimension of x by
/// `method`, and returns the errors.
NormErrors errors_of(const at::Tensor& x, const Affine& affine, NormMethod method);

/// Copies the errors to host memory.
NormErrors on_host(const NormErrors& errors);

}  // namespace labreport
