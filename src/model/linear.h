// A linear layer without bias, and the embedding.
#pragma once

#include <memory>
#include <string>

#include "engine/range.h"
#include "model/parameter.h"
#include "results/cell.h"

namespace labreport {

class ShardedWeights;

/// The weight matrix of a layer: the whole matrix, or this rank's shard of it.
class Weight {
 public:
  explicit Weight(at::Tensor whole) : tensor_(std::move(whole)) {}

  /// Keeps only this rank's shard from now on.
  void shard(std::shared_ptr<ShardedWeights> owner);

  const at::Tensor& tensor() const { return tensor_; }  ///< The matrix or shard.
  /// Returns the owner of the shards; null if the matrix is whole.
  ShardedWeights* owner() const { return owner_.get(); }
  std::size_t layer() const { return layer_; }

 private:
  at::Tensor tensor_;
  std::shared_ptr<ShardedWeights> owner_;
  std::size_t layer_ = 0;
};

class Linear {
 public:
  Linear(std::int64_t d_in, std::int64_t d_out, c10::Device device,
         Variant variant = Variant::kMatmul);
  at::Tensor forward(const at::Tensor& x) const;
  void append_parameters(const std::string& path, Parameters& parameters) const;
  void shard(std::shared_ptr<ShardedWeights> owner) { weight_.shard(std::move(owner)); }

 private:
  bool uses_einsum_;
  Weight weight_;  ///< [out, in]
};

template <typename Module>
at::Tensor forward_in_range(std::string_view name, const Module& module, const at::Tensor& x) {
  Range range(name);
  return module.forward(x);
}

class Embedding {
 public:
  Embedding(std::int64_t vocab, std::int64_t d_model, c10::Device device);
  at::Tensor forward(const at::Tensor& ids) const;
  void append_parameters(const std::string& path, Parameters& parameters) const;
  void shard(std::shared_ptr<ShardedWeights> owner) { weight_.shard(std::move(owner)); }

 private:
  Weight weight_;  ///< [vocab, d_model]
};

}  // namespace labreport
