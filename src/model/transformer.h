// The network: token embedding, pre-norm blocks, final norm, untied output projection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/attention.h"
#include "model/network.h"
#include "model/rms_norm.h"
#include "model/swiglu.h"
#include "results/cell.h"

namespace labreport {

class TransformerBlock {
 public:
  TransformerBlock(std::string path, const ModelShape& shape, std::shared_ptr<const Rotary> rotary,
                   c10::Device device, Variant variant = Variant::kMatmul);
  at::Tensor forward(const at::Tensor& x) const;
  void append_parameters(Parameters& parameters) const;
  void shard(const std::shared_ptr<ShardedWeights>& sharded_weights);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  RmsNorm ln1_;
  Attention attn_;
  RmsNorm ln2_;
  SwiGlu ffn_;
};

/// A copy shares the parameters. The network must outlive autograd's graphs of its forward().
class Transformer : public Network {
 public:
  /// `context` is the longest sequence, in tokens. Every `blocks_per_checkpoint` consecutive blocks
  /// form a checkpoint: see model/checkpoint.h. Throws `InputError` unless d_model / heads is an
  /// even number.
  Transformer(const ModelShape& shape, std::int64_t context, c10::Device device,
              Variant variant = Variant::kMatmul,
              std::optional<std::int64_t> blocks_per_checkpoint = {});

  /// Shards linear layers and the embedding, not norms. Call it before an optimizer is made,
  /// because it replaces parameters().
  void shard(const std::shared_ptr<ShardedWeights>& sharded_weights);

  at::Tensor forward(const at::Tensor& ids) const override;
  /// Returns the cross-entropy, averaged over all positions.
  at::Tensor loss(const at::Tensor& logits, const at::Tensor& targets) const override;
  std::unique_ptr<Optimizer> make_optimizer() const override;

  /// Parameters are in the order in which the network uses them.
  const Parameters& parameters() const override { return parameters_; }

  /// Returns the rotary cosines and sines.
  const std::vector<at::Tensor>& buffers() const override { return buffers_; }

 private:
  void list_parameters();
  at::Tensor run_blocks(std::size_t first, std::size_t end, at::Tensor x) const;

  Variant variant_;                    ///< A larger value keeps the changes of smaller values.
  std::size_t blocks_per_checkpoint_;  ///< 0 without checkpoints.
  Embedding token_embeddings_;
  std::vector<TransformerBlock> layers_;
  RmsNorm ln_final_;
  Linear lm_head_;
  Parameters parameters_;
  std::vector<at::Tensor> buffers_;
};

}  // namespace labreport
