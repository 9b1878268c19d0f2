#include "model/linear.h"

#include <ATen/ops/index.h>
#include <ATen/ops/mm.h>

#include "engine/precision.h"
#include "model/init.h"
#include "model/operation.h"

namespace labreport {
namespace {

at::Tensor as_rows(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

/// `shape`, but for the last dimension, which is that of `rows`.
at::Tensor shaped_like(const at::Tensor& rows, at::IntArrayRef shape) {
  std::vector<std::int64_t> sizes = shape.vec();
  sizes.back() = rows.size(-1);
  return rows.view(sizes);
}

std::vector<at::Tensor> linear_backward(const at::Tensor& gradient, Kept& kept) {
  const at::Tensor of_rows = as_rows(gradient);
  const at::Tensor rows = kept.take(0);
  const at::Tensor columns = kept.take(1);
  at::Tensor of_weight = at::mm(of_rows.t(), rows);
  at::Tensor of_x = at::mm(of_rows, columns.t());
  return {shaped_like(of_x, gradient.sizes()), of_weight};
}

}  // namespace

Linear::Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device)
    : weight_(trainable({d_out, d_in}, device)) {}

at::Tensor Linear::forward(const at::Tensor& x) const {
  const at::Tensor weight = autocast(weight_);
  Operation operation("Linear", x, weight);
  const at::Tensor columns = weight.t();
  const at::Tensor rows = as_rows(autocast(x));
  operation.keep(rows, columns);
  return operation.finish(shaped_like(at::mm(rows, columns), x.sizes()), linear_backward);
}

void Linear::list(const std::string& path, Parameters& into) const {
  into.push_back({path + ".weight", weight_, linear_std(weight_.size(1), weight_.size(0))});
}

Embedding::Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device)
    : weight_(trainable({vocab, d_model}, device)) {}

at::Tensor Embedding::forward(const at::Tensor& ids) const { return at::index(weight_, {ids}); }

void Embedding::list(const std::string& path, Parameters& into) const {
  into.push_back({path + ".weight", weight_, 1.0});
}

}  // namespace labreport
