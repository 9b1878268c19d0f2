#include "model/dot_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "engine/precision.h"
#include "model/operation.h"

namespace labreport {
namespace {

/// [batch · heads, rows, columns] → [batch, heads, rows, columns]
at::Tensor per_head(const at::Tensor& x, std::int64_t batch) {
  return x.view({batch, x.size(0) / batch, x.size(1), x.size(2)});
}

/// As `matmul` does it for each head, without the steps that only serve broadcasting.
at::Tensor product(const at::Tensor& a, const at::Tensor& b, Operation& operation) {
  const at::Tensor each_b = autocast(b).flatten(0, 1);
  const at::Tensor each_a = autocast(a).flatten(0, 1);
  operation.keep(each_a, each_b);
  return per_head(at::bmm(each_a, each_b), a.size(0));
}

std::vector<at::Tensor> product_backward(at::Tensor gradient, Kept& kept) {
  const std::int64_t batch = gradient.size(0);
  gradient = gradient.flatten(0, 1);
  const at::Tensor a = kept.take(0);
  const at::Tensor b = kept.take(1);
  at::Tensor of_b = at::bmm(a.transpose(1, 2), gradient);
  at::Tensor of_a = at::bmm(gradient, b.transpose(1, 2));
  return {per_head(of_a, batch), per_head(of_b, batch)};
}

at::Tensor split(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

at::Tensor merged(const at::Tensor& x) { return x.transpose(1, 2).contiguous().flatten(2); }

}  // namespace

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  Operation operation("SplitHeads", x);
  const auto backward = [](const at::Tensor& gradient, Kept&) {
    return std::vector{merged(gradient)};
  };
  return operation.finish(split(x, heads), backward);
}

at::Tensor masked_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& mask) {
  Operation operation("MaskedScores", q, k);
  const double root = std::sqrt(static_cast<double>(q.size(-1)));
  at::Tensor scores = product(q, k.transpose(-2, -1), operation);
  scores = scores / root;
  scores = at::where(mask, scores, -std::numeric_limits<double>::infinity());
  operation.keep(mask);
  return operation.finish(scores, [root](at::Tensor gradient, Kept& kept) {
    gradient = at::where(kept.take(2), gradient, 0);
    gradient = gradient / root;
    auto gradients = product_backward(std::move(gradient), kept);
    gradients[1] = gradients[1].transpose(-2, -1);
    return gradients;
  });
}

at::Tensor mixed_values(const at::Tensor& probabilities, const at::Tensor& v) {
  Operation operation("MixedValues", probabilities, v);
  return operation.finish(product(probabilities, v, operation), product_backward);
}

at::Tensor merge_heads(const at::Tensor& x) {
  Operation operation("MergeHeads", x);
  return operation.finish(merged(x), [heads = x.size(1)](const at::Tensor& gradient, Kept&) {
    return std::vector{split(gradient, heads)};
  });
}

}  // namespace labreport
