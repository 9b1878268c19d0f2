#include "measure/precision/normalize.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

namespace labreport {
namespace {

constexpr double kEpsilon = 1e-5;

struct NormSteps {
  at::Tensor mean;  ///< The last dimension has size 1, as in `sum`, `variance` and `rstd`.
  at::Tensor squares;
  at::Tensor sum;  ///< Sum of the squares; only kRoundEveryAddition computes it.
  at::Tensor variance, rstd, output;
};

/// Adds along the last dimension in order and rounds each sum to the dtype of x.
at::Tensor rounded_sum(const at::Tensor& x) {
  const at::Tensor columns = x.movedim(-1, 0).contiguous();
  at::Tensor sum = at::zeros(columns.sizes().slice(1), columns.options());
  for (std::int64_t i = 0; i < columns.size(0); ++i) sum.add_(columns.select(0, i));
  return sum.unsqueeze(-1);
}

void finish_norm(NormSteps& steps, const at::Tensor& centered, const Affine& affine) {
  steps.rstd = at::rsqrt(steps.variance + kEpsilon);
  steps.output = centered * steps.rstd * affine.weight.to(centered.scalar_type()) +
                 affine.bias.to(centered.scalar_type());
}

NormSteps normalize_by_rounded_sums(const at::Tensor& x, const Affine& affine) {
  NormSteps steps;
  const auto width = static_cast<double>(x.size(-1));
  steps.mean = rounded_sum(x) / width;
  const at::Tensor centered = x - steps.mean;
  steps.squares = centered * centered;
  steps.sum = rounded_sum(steps.squares);
  steps.variance = steps.sum / width;
  finish_norm(steps, centered, affine);
  return steps;
}

NormSteps normalize_by_reductions(const at::Tensor& x, const Affine& affine) {
  NormSteps steps;
  steps.mean = x.mean(-1, /*keepdim=*/true);
  const at::Tensor centered = x - steps.mean;
  steps.squares = centered * centered;
  steps.variance = steps.squares.mean(-1, /*keepdim=*/true);
  finish_norm(steps, centered, affine);
  return steps;
}

NormSteps normalize_by_method(const at::Tensor& x, const Affine& affine, NormMethod method) {
  if (method == NormMethod::kRoundEveryAddition) return normalize_by_rounded_sums(x, affine);
  if (method == NormMethod::kTorchReductions) return normalize_by_reductions(x, affine);
  NormSteps steps = normalize_by_reductions(x.to(c10::kFloat), affine);
  steps.output = steps.output.to(x.scalar_type());
  return steps;
}

at::Tensor any_infinite(const at::Tensor& x) { return at::isinf(x).any(-1); }

/// Replaces a NaN error by infinity, and any error by NaN if the FP64 value `truth` is not finite.
at::Tensor mark_invalid(const at::Tensor& errors, const at::Tensor& truth) {
  const at::Tensor without_nan =
      at::where(errors.isnan(), std::numeric_limits<double>::infinity(), errors);
  return at::where(truth.isfinite(), without_nan, std::numeric_limits<double>::quiet_NaN());
}

at::Tensor relative_error(const at::Tensor& value, const at::Tensor& truth) {
  return mark_invalid((value.to(c10::kDouble) / truth - 1).abs(), truth).squeeze(-1);
}

at::Tensor relative_norm_error(const at::Tensor& value, const at::Tensor& truth) {
  const at::Tensor truth_norm = at::linalg_vector_norm(truth, 2, -1);
  return mark_invalid(at::linalg_vector_norm(value.to(c10::kDouble) - truth, 2, -1) / truth_norm,
                      truth_norm);
}

at::Tensor mean_error(const NormSteps& steps, const NormSteps& truth) {
  const at::Tensor stddev = at::sqrt(truth.variance);
  const at::Tensor distance = (steps.mean.to(c10::kDouble) - truth.mean).abs();
  return mark_invalid(distance / stddev, stddev).squeeze(-1);
}

}  // namespace

NormErrors errors_of(const at::Tensor& x, const Affine& affine, NormMethod method) {
  const NormSteps truth = normalize_by_reductions(x.to(c10::kDouble), affine);
  const NormSteps steps = normalize_by_method(x, affine, method);
  NormErrors errors;
  errors.mean = mean_error(steps, truth);
  errors.squares = relative_norm_error(steps.squares, truth.squares);
  errors.variance = relative_error(steps.variance, truth.variance);
  errors.rstd = relative_error(steps.rstd, truth.rstd);
  errors.output = relative_norm_error(steps.output, truth.output);
  errors.input_overflow = any_infinite(x);
  errors.square_overflow = any_infinite(steps.squares) & ~errors.input_overflow;
  errors.sum_overflow = steps.sum.defined() ? any_infinite(steps.sum) & ~any_infinite(steps.squares)
                                            : at::zeros_like(errors.input_overflow);
  errors.underflow = (steps.variance == 0).squeeze(-1);
  for (at::Tensor* tensor :
       {&errors.mean, &errors.squares, &errors.variance, &errors.rstd, &errors.output,
        &errors.input_overflow, &errors.square_overflow, &errors.sum_overflow, &errors.underflow}) {
    *tensor = tensor->cpu();
  }
  return errors;
}

}  // namespace labreport
