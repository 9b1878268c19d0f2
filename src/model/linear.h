// A linear map without bias, and the lookup of a token's vector.
#pragma once

#include <memory>
#include <string>

#include "engine/range.h"
#include "model/parameter.h"
#include "results/cell.h"

namespace labreport {

class ShardedWeights;

/// A matrix of a layer: whole, or a shard of this rank.
class Weight {
 public:
  explicit Weight(at::Tensor whole) : tensor_(std::move(whole)) {}

  /// From now on this rank keeps its shard alone.
  void shard(std::shared_ptr<ShardedWeights> among);

  const at::Tensor& tensor() const { return tensor_; }  ///< What is trained.
  /// Null: it is whole.
  ShardedWeights* among() const { return among_.get(); }
  std::size_t layer() const { return layer_; }

 private:
  at::Tensor tensor_;
  std::shared_ptr<ShardedWeights> among_;
  std::size_t layer_ = 0;
};

class Linear {
 public:
  Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device,
         Variant variant = Variant::kMatmul);
  at::Tensor forward(const at::Tensor& x) const;
  void list(const std::string& path, Parameters& into) const;
  void shard(std::shared_ptr<ShardedWeights> among) { weight_.shard(std::move(among)); }

 private:
  bool einsum_;
  Weight weight_;  ///< [out, in]
};

/// `module.forward(x)` inside a range of that name.
template <typename Module>
at::Tensor in_range(std::string_view name, const Module& module, const at::Tensor& x) {
  Range range(name);
  return module.forward(x);
}

class Embedding {
 public:
  Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device);
  at::Tensor forward(const at::Tensor& ids) const;
  void list(const std::string& path, Parameters& into) const;
  void shard(std::shared_ptr<ShardedWeights> among) { weight_.shard(std::move(among)); }

 private:
  Weight weight_;  ///< [vocab, d_model]
};

}  // namespace labreport
