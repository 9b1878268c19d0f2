#include "model/sharded_weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <numeric>

#include "engine/device.h"
#include "engine/host_clock.h"

namespace labreport {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kLayerKey = "layer";
constexpr std::size_t kMaxRunningScatters = 2;  // Each holds the memory of a whole gradient.

/// The layer to which a node of autograd's graph belongs.
struct LayerRef : torch::CustomClassHolder {
  LayerRef(std::shared_ptr<ShardedWeights> owner, std::size_t number)
      : weights(std::move(owner)), layer(number) {}
  std::shared_ptr<ShardedWeights> weights;
  std::size_t layer;
};

const LayerRef& layer_ref(const c10::intrusive_ptr<torch::CustomClassHolder>& capsule) {
  return static_cast<const LayerRef&>(*capsule);
}

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies());
}

at::Tensor as_rows(const at::Tensor& tensor) { return tensor.reshape({-1, tensor.size(-1)}); }

}  // namespace

/// The shard is an input so that autograd calls backward() even if no other input needs a gradient.
struct GatheredLinear : torch::autograd::Function<GatheredLinear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& /*shard*/, const c10::intrusive_ptr<LayerRef>& ref) {
    ShardedWeights& weights = *ref->weights;
    const at::Tensor input = x.to(weights.dtype_);
    const at::Tensor weight = weights.finish_gather(ref->layer, /*in_backward=*/false);
    weights.prefetch(ref->layer + 1);
    context->save_for_backward({input});
    context->saved_data[kLayerKey] = c10::IValue::make_capsule(ref);
    at::Tensor output = at::linear(input, weight);
    weights.note_matrix_freed();
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto capsule = context->saved_data.at(kLayerKey).toCapsule();
    const LayerRef& ref = layer_ref(capsule);
    ShardedWeights& weights = *ref.weights;
    const at::Tensor input = context->get_saved_variables().front();
    const at::Tensor& gradient = gradients.front();
    at::Tensor weight = weights.finish_gather(ref.layer, /*in_backward=*/true);
    // Layer 0 is the embedding, whose backward needs no weights.
    if (ref.layer > 1) weights.prefetch(ref.layer - 1);
    at::Tensor input_gradient = at::matmul(gradient, weight);
    weight.reset();
    weights.note_matrix_freed();
    weights.start_scatter(ref.layer, at::mm(as_rows(gradient).t(), as_rows(input)));
    return {input_gradient, {}, {}};
  }
};

struct GatheredEmbedding : torch::autograd::Function<GatheredEmbedding> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& ids,
                            const at::Tensor& /*shard*/, const c10::intrusive_ptr<LayerRef>& ref) {
    ShardedWeights& weights = *ref->weights;
    const at::Tensor weight = weights.finish_gather(ref->layer, /*in_backward=*/false);
    weights.prefetch(ref->layer + 1);
    context->save_for_backward({ids});
    context->saved_data[kLayerKey] = c10::IValue::make_capsule(ref);
    at::Tensor rows = at::index(weight, {ids}).to(at::kFloat);
    weights.note_matrix_freed();
    return rows;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto capsule = context->saved_data.at(kLayerKey).toCapsule();
    const LayerRef& ref = layer_ref(capsule);
    const at::Tensor ids = context->get_saved_variables().front();
    ref.weights->reduce_scatter_rows(ref.layer, ids, gradients.front());
    return {{}, {}, {}};
  }
};

ShardedWeights::ShardedWeights(RankGroup& group, at::ScalarType compute_dtype)
    : group_(group), dtype_(compute_dtype) {}

std::size_t ShardedWeights::add_layer(const at::Tensor& matrix) {
  const c10::NoGradGuard no_grad;
  const std::int64_t ranks = group_.size();
  const std::int64_t shard_size = (matrix.numel() + ranks - 1) / ranks;
  const std::int64_t begin = std::min(group_.rank() * shard_size, matrix.numel());
  const std::int64_t end = std::min(begin + shard_size, matrix.numel());
  at::Tensor shard = at::zeros({shard_size}, matrix.options().requires_grad(false));
  shard.narrow(0, 0, end - begin).copy_(matrix.detach().flatten().slice(0, begin, end));
  layers_.push_back({shard.requires_grad_(), matrix.sizes().vec()});
  return layers_.size() - 1;
}

at::Tensor ShardedWeights::linear(std::size_t layer, const at::Tensor& x) {
  return GatheredLinear::apply(x, layers_[layer].shard,
                               c10::make_intrusive<LayerRef>(shared_from_this(), layer));
}

at::Tensor ShardedWeights::embedding(std::size_t layer, const at::Tensor& ids) {
  return GatheredEmbedding::apply(ids, layers_[layer].shard,
                                  c10::make_intrusive<LayerRef>(shared_from_this(), layer));
}

ShardedWeights::Gather ShardedWeights::start_gather(std::size_t layer, at::ScalarType dtype) {
  const at::Tensor cast = layers_[layer].shard.detach().to(dtype);
  at::Tensor whole = at::empty({cast.numel() * group_.size()}, cast.options());
  Collective collective = group_.all_gather_into(whole, cast);
  most_gathered_ = std::max(most_gathered_, ++gathered_);
  return {std::move(whole), std::move(collective)};
}

void ShardedWeights::prefetch(std::size_t layer) {
  if (layer < layers_.size() && !prefetched_.contains(layer))
    prefetched_.emplace(layer, start_gather(layer, dtype_));
}

at::Tensor ShardedWeights::finish_gather(std::size_t layer, bool in_backward) {
  const auto found = prefetched_.find(layer);
  Gather gather =
      found == prefetched_.end() ? start_gather(layer, dtype_) : std::move(found->second);
  if (found != prefetched_.end()) prefetched_.erase(found);
  PhaseMarks& wait = wait_marks(layer, in_backward);
  wait.mark_start();
  gather.collective.finish();
  wait.mark_phase_end();
  recorded_waits_.emplace_back(layer, in_backward);
  return as_matrix(layer, gather.whole);
}

at::Tensor ShardedWeights::as_matrix(std::size_t layer, const at::Tensor& whole) const {
  const std::vector<std::int64_t>& shape = layers_[layer].shape;
  return whole.narrow(0, 0, element_count(shape)).view(shape);
}

void ShardedWeights::start_scatter(std::size_t layer, const at::Tensor& gradient) {
  const c10::NoGradGuard no_grad;
  const std::int64_t shard_size = layers_[layer].shard.numel();
  const std::int64_t padded_size = shard_size * group_.size();
  at::Tensor padded = gradient.reshape({-1});
  if (padded.numel() < padded_size) {
    padded = at::zeros({padded_size}, gradient.options());
    padded.narrow(0, 0, gradient.numel()).copy_(gradient.reshape({-1}));
  }
  while (scatters_.size() >= kMaxRunningScatters) finish_oldest_scatter();
  at::Tensor shard = at::empty({shard_size}, gradient.options());
  Collective collective = group_.reduce_scatter(shard, padded);
  scatters_.push_back({layer, std::move(shard), std::move(collective)});
}

void ShardedWeights::reduce_scatter_rows(std::size_t layer, const at::Tensor& ids,
                                         const at::Tensor& gradient) {
  const c10::NoGradGuard no_grad;
  at::Tensor whole = at::zeros(layers_[layer].shape, gradient.options());
  whole.index_put_({ids}, gradient, /*accumulate=*/true);
  start_scatter(layer, whole.to(dtype_));
}

void ShardedWeights::finish_oldest_scatter() {
  const c10::NoGradGuard no_grad;
  Scatter& oldest = scatters_.front();
  oldest.collective.finish();
  at::Tensor mean = oldest.shard.to(at::kFloat).div_(group_.size());
  at::Tensor& gradient = layers_[oldest.layer].shard.mutable_grad();
  if (gradient.defined()) mean.add_(gradient);
  gradient = std::move(mean);
  scatters_.pop_front();
}

void ShardedWeights::finish_gradients() {
  while (!scatters_.empty()) finish_oldest_scatter();
}

Parameters ShardedWeights::replicated_parameters(const Parameters& parameters) const {
  Parameters whole = parameters;
  std::erase_if(whole, [&](const Parameter& parameter) {
    return std::ranges::any_of(
        layers_, [&](const Layer& layer) { return layer.shard.is_same(parameter.tensor); });
  });
  return whole;
}

at::Tensor ShardedWeights::whole_matrix(std::size_t layer) {
  Gather gather = start_gather(layer, at::kFloat);
  gather.collective.finish();
  note_matrix_freed();
  return as_matrix(layer, gather.whole);
}

PhaseMarks& ShardedWeights::wait_marks(std::size_t layer, bool in_backward) {
  auto& marks = wait_marks_[{layer, in_backward}];
  if (!marks) marks = make_phase_marks(PhaseClock::kEvents, group_.device(), 1);
  return *marks;
}

std::vector<GatherWait> ShardedWeights::take_waits() {
  std::vector<GatherWait> waits;
  for (const auto& [layer, in_backward] : recorded_waits_) {
    waits.push_back({layer, in_backward, wait_marks(layer, in_backward).durations_ns().front()});
  }
  recorded_waits_.clear();
  return waits;
}

std::int64_t ShardedWeights::time_gather(std::size_t layer) {
  group_.barrier();
  const std::int64_t start_ns = host_now_ns();
  Gather gather = start_gather(layer, dtype_);
  gather.collective.finish();
  synchronize(group_.device());
  note_matrix_freed();
  return host_now_ns() - start_ns;
}

std::int64_t ShardedWeights::gathered_bytes(std::size_t layer) const {
  return element_count(layers_[layer].shape) * static_cast<std::int64_t>(c10::elementSize(dtype_));
}

}  // namespace labreport
