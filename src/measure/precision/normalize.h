// Layer normalization in elementary steps, each compared with FP64.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

enum class NormMethod {
  kRoundEveryAddition,  ///< Sums of one addition after the other, each rounded to x's dtype.
  kOwnReductions,       ///< LibTorch's means: wider accumulators, the result rounded to x's dtype.
  kFp32Statistics,      ///< All in FP32, the output rounded to x's dtype.
};

/// Weight and bias over the last dimension.
struct Affine {
  at::Tensor weight;
  at::Tensor bias;
};

/// One value a vector, the shape of x without its last dimension. Errors are relative to the same
/// steps in FP64 on the same x: the mean's to the standard deviation, squares and output by norms.
/// Infinite where a step lost a finite truth, NaN where there is no finite truth.
struct NormErrors {
  at::Tensor mean;
  at::Tensor squares;
  at::Tensor variance;
  at::Tensor rstd;
  at::Tensor output;
  at::Tensor input_overflow;   ///< bool: x holds an infinity.
  at::Tensor square_overflow;  ///< bool: x does not, a centered square does.
  at::Tensor sum_overflow;     ///< bool: no square does, their sum does.
  at::Tensor underflow;        ///< bool: the variance is zero.
};

/// (x - mean) / sqrt(variance + 1e-5) * weight + bias over the last dimension of x, by `method`.
NormErrors errors_of(const at::Tensor& x, const Affine& affine, NormMethod method);

/// The same in host memory.
NormErrors on_host(const NormErrors& errors);

}  // namespace labreport
