#include "model/transformer.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "engine/range.h"
#include "model/adamw.h"
#include "model/checkpoint.h"
#include "model/fused_adamw.h"
#include "model/init.h"
#include "model/softmax.h"

namespace labreport {
namespace {

const ModelShape& checked_shape(const ModelShape& shape) {
  if (shape.heads < 1 || shape.d_model % (2 * shape.heads) != 0) {
    throw InputError(fmt::format("d_model {} does not split into {} heads of an even width",
                                 shape.d_model, shape.heads),
                     "choose heads that divide d_model / 2");
  }
  return shape;
}

}  // namespace

TransformerBlock::TransformerBlock(std::string path, const ModelShape& shape,
                                   std::shared_ptr<const Rotary> rotary, c10::Device device,
                                   Variant variant)
    : path_(std::move(path)),
      ln1_(shape.d_model, device),
      attn_(shape.d_model, shape.heads, std::move(rotary), device, variant),
      ln2_(shape.d_model, device),
      ffn_(shape.d_model, shape.d_ff, device, variant) {}

at::Tensor TransformerBlock::forward(const at::Tensor& x) const {
  Range range(path_);
  at::Tensor middle = x + forward_in_range("attn", attn_, forward_in_range("ln1", ln1_, x));
  return middle + forward_in_range("ffn", ffn_, forward_in_range("ln2", ln2_, middle));
}

void TransformerBlock::append_parameters(Parameters& parameters) const {
  ln1_.append_parameters(path_ + ".ln1", parameters);
  attn_.append_parameters(path_ + ".attn", parameters);
  ln2_.append_parameters(path_ + ".ln2", parameters);
  ffn_.append_parameters(path_ + ".ffn", parameters);
}

void TransformerBlock::shard(const std::shared_ptr<ShardedWeights>& sharded_weights) {
  attn_.shard(sharded_weights);
  ffn_.shard(sharded_weights);
}

Transformer::Transformer(const ModelShape& shape, std::int64_t context, c10::Device device,
                         Variant variant, std::optional<std::int64_t> blocks_per_checkpoint)
    : variant_(variant),
      blocks_per_checkpoint_(static_cast<std::size_t>(blocks_per_checkpoint.value_or(0))),
      token_embeddings_(shape.vocab, checked_shape(shape).d_model, device),
      ln_final_(shape.d_model, device),
      lm_head_(shape.d_model, shape.vocab, device, variant) {
  auto rotary = std::make_shared<const Rotary>(context, shape.d_model / shape.heads, device);
  buffers_ = rotary->tables();
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    layers_.emplace_back(fmt::format("layers.{}", i), shape, rotary, device, variant);
  }
  list_parameters();
  initialize(parameters_);
}

void Transformer::list_parameters() {
  parameters_.clear();
  token_embeddings_.append_parameters("token_embeddings", parameters_);
  for (const TransformerBlock& block : layers_) block.append_parameters(parameters_);
  ln_final_.append_parameters("ln_final", parameters_);
  lm_head_.append_parameters("lm_head", parameters_);
}

void Transformer::shard(const std::shared_ptr<ShardedWeights>& sharded_weights) {
  // The list is cleared first, so that each whole matrix is freed as soon as it is sharded.
  parameters_.clear();
  token_embeddings_.shard(sharded_weights);
  for (TransformerBlock& block : layers_) block.shard(sharded_weights);
  lm_head_.shard(sharded_weights);
  list_parameters();
}

at::Tensor Transformer::forward(const at::Tensor& ids) const {
  at::Tensor x = [&] {
    Range range("token_embeddings");
    return token_embeddings_.forward(ids);
  }();
  const std::size_t block_count = layers_.size(), stride = blocks_per_checkpoint_;
  if (stride == 0) x = run_blocks(0, block_count, std::move(x));
  for (std::size_t first = 0; stride > 0 && first < block_count; first += stride) {
    const std::size_t end = std::min(first + stride, block_count);
    x = checkpoint([=, this](const at::Tensor& in) { return run_blocks(first, end, in); }, x);
  }
  return forward_in_range("lm_head", lm_head_, forward_in_range("ln_final", ln_final_, x));
}

at::Tensor Transformer::run_blocks(std::size_t first, std::size_t end, at::Tensor x) const {
  for (std::size_t i = first; i < end; ++i) x = layers_[i].forward(x);
  return x;
}

at::Tensor Transformer::loss(const at::Tensor& logits, const at::Tensor& targets) const {
  return cross_entropy(logits, targets);
}

std::unique_ptr<Optimizer> Transformer::make_optimizer() const {
  if (variant_ >= Variant::kFusedAdamW) return std::make_unique<FusedAdamW>(parameters_);
  return std::make_unique<AdamW>(parameters_);
}

}  // namespace labreport
