// The products of attention: queries with keys, and probabilities with values, head by head.
#pragma once

#include <ATen/core/Tensor.h>

namespace labreport {

/// [batch, positions, d_model] → [batch, heads, positions, d_model / heads], a view.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);

/// QKᵀ/√d_k, and −∞ where `mask` is false: [batch, heads, positions, positions].
at::Tensor masked_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& mask);

/// Probabilities times values: [batch, heads, positions, d_model / heads].
at::Tensor mixed_values(const at::Tensor& probabilities, const at::Tensor& v);

/// What `split_heads` split, side by side again: [batch, positions, d_model], a contiguous copy.
at::Tensor merge_heads(const at::Tensor& x);

}  // namespace labreport
