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

constexpr const char* kLayer = "layer";
// At most two reduce-scatters run at once, while backward computes the next gradient.
constexpr std::size_t kScattersAtOnce = 2;

/// The layer to which a node of autograd's graph belongs.
struct LayerOf : torch::CustomClassHolder {
  LayerOf(std::shared_ptr<ShardedWeights> all, std::size_t number)
      : weights(std::move(all)), layer(number) {}
  std::shared_ptr<ShardedWeights> weights;
  std::size_t layer;
};

const LayerOf& layer_of(const c10::intrusive_ptr<torch::CustomClassHolder>& held) {
  return static_cast<const LayerOf&>(*held);
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies());
}

at::Tensor rows_of(const at::Tensor& tensor) { return tensor.reshape({-1, tensor.size(-1)}); }

}  // namespace

struct GatheredLinear : torch::autograd::Function<GatheredLinear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& /*shard*/, const c10::intrusive_ptr<LayerOf>& of) {
    ShardedWeights& weights = *of->weights;
    const at::Tensor input = x.to(weights.compute_);
    const at::Tensor weight = weights.take(of->layer, false);
    weights.prefetch(of->layer + 1);
    context->save_for_backward({input});
    context->saved_data[kLayer] = c10::IValue::make_capsule(of);
    at::Tensor output = at::linear(input, weight);
    weights.release();
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto held = context->saved_data.at(kLayer).toCapsule();
    const LayerOf& of = layer_of(held);
    ShardedWeights& weights = *of.weights;
    const at::Tensor input = context->get_saved_variables().front();
    const at::Tensor& gradient = gradients.front();
    at::Tensor weight = weights.take(of.layer, true);
    // Layer 0 is the embedding, whose backward needs no weights.
    if (of.layer > 1) weights.prefetch(of.layer - 1);
    at::Tensor of_input = at::matmul(gradient, weight);
    weight.reset();
    weights.release();
    weights.scatter(of.layer, at::mm(rows_of(gradient).t(), rows_of(input)));
    return {of_input, {}, {}};
  }
};

struct GatheredEmbedding : torch::autograd::Function<GatheredEmbedding> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& ids,
                            const at::Tensor& /*shard*/, const c10::intrusive_ptr<LayerOf>& of) {
    ShardedWeights& weights = *of->weights;
    const at::Tensor weight = weights.take(of->layer, false);
    weights.prefetch(of->layer + 1);
    context->save_for_backward({ids});
    context->saved_data[kLayer] = c10::IValue::make_capsule(of);
    at::Tensor rows = at::index(weight, {ids}).to(at::kFloat);
    weights.release();
    return rows;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto held = context->saved_data.at(kLayer).toCapsule();
    const LayerOf& of = layer_of(held);
    const at::Tensor ids = context->get_saved_variables().front();
    of.weights->scatter_rows(of.layer, ids, gradients.front());
    return {{}, {}, {}};
  }
};

ShardedWeights::ShardedWeights(RankGroup& group, at::ScalarType compute)
    : group_(group), compute_(compute) {}

std::size_t ShardedWeights::add(const at::Tensor& whole) {
  const c10::NoGradGuard no_grad;
  const std::int64_t ranks = group_.size();
  const std::int64_t own = (whole.numel() + ranks - 1) / ranks;
  const std::int64_t begin = std::min(group_.rank() * own, whole.numel());
  const std::int64_t end = std::min(begin + own, whole.numel());
  at::Tensor shard = at::zeros({own}, whole.options().requires_grad(false));
  shard.narrow(0, 0, end - begin).copy_(whole.detach().flatten().slice(0, begin, end));
  layers_.push_back({shard.requires_grad_(), whole.sizes().vec()});
  return layers_.size() - 1;
}

at::Tensor ShardedWeights::linear(std::size_t layer, const at::Tensor& x) {
  return GatheredLinear::apply(x, layers_[layer].shard,
                               c10::make_intrusive<LayerOf>(shared_from_this(), layer));
}

at::Tensor ShardedWeights::embedding(std::size_t layer, const at::Tensor& ids) {
  return GatheredEmbedding::apply(ids, layers_[layer].shard,
                                  c10::make_intrusive<LayerOf>(shared_from_this(), layer));
}

ShardedWeights::Gather ShardedWeights::start(std::size_t layer, at::ScalarType dtype) {
  const at::Tensor cast = layers_[layer].shard.detach().to(dtype);
  at::Tensor whole = at::empty({cast.numel() * group_.size()}, cast.options());
  Collective work = group_.gather_into(whole, cast);
  most_at_once_ = std::max(most_at_once_, ++at_once_);
  return {std::move(whole), std::move(work)};
}

void ShardedWeights::prefetch(std::size_t layer) {
  if (layer < layers_.size() && !ahead_.contains(layer))
    ahead_.emplace(layer, start(layer, compute_));
}

at::Tensor ShardedWeights::take(std::size_t layer, bool backward) {
  const auto found = ahead_.find(layer);
  Gather gather = found == ahead_.end() ? start(layer, compute_) : std::move(found->second);
  if (found != ahead_.end()) ahead_.erase(found);
  PhaseMarks& wait = marks(layer, backward);
  wait.start();
  gather.work.finish();
  wait.phase_ended();
  waited_.emplace_back(layer, backward);
  return shaped(layer, gather.whole);
}

at::Tensor ShardedWeights::shaped(std::size_t layer, const at::Tensor& whole) const {
  const std::vector<std::int64_t>& shape = layers_[layer].shape;
  return whole.narrow(0, 0, elements_of(shape)).view(shape);
}

void ShardedWeights::scatter(std::size_t layer, const at::Tensor& gradient) {
  const c10::NoGradGuard no_grad;
  const std::int64_t own = layers_[layer].shard.numel(), all = own * group_.size();
  at::Tensor padded = gradient.reshape({-1});
  if (padded.numel() < all) {
    padded = at::zeros({all}, gradient.options());
    padded.narrow(0, 0, gradient.numel()).copy_(gradient.reshape({-1}));
  }
  while (scatters_.size() >= kScattersAtOnce) finish_oldest();
  at::Tensor shard = at::empty({own}, gradient.options());
  Collective work = group_.sum_scattered(shard, padded);
  scatters_.push_back({layer, std::move(shard), std::move(work)});
}

void ShardedWeights::scatter_rows(std::size_t layer, const at::Tensor& ids,
                                  const at::Tensor& gradient) {
  const c10::NoGradGuard no_grad;
  at::Tensor whole = at::zeros(layers_[layer].shape, gradient.options());
  whole.index_put_({ids}, gradient, /*accumulate=*/true);
  scatter(layer, whole.to(compute_));
}

void ShardedWeights::finish_oldest() {
  const c10::NoGradGuard no_grad;
  Scatter& oldest = scatters_.front();
  oldest.work.finish();
  at::Tensor mean = oldest.shard.to(at::kFloat).div_(group_.size());
  at::Tensor& gradient = layers_[oldest.layer].shard.mutable_grad();
  if (gradient.defined()) mean.add_(gradient);
  gradient = std::move(mean);
  scatters_.pop_front();
}

void ShardedWeights::finish_gradients() {
  while (!scatters_.empty()) finish_oldest();
}

Parameters ShardedWeights::replicated(const Parameters& parameters) const {
  Parameters whole = parameters;
  std::erase_if(whole, [&](const Parameter& parameter) {
    return std::ranges::any_of(
        layers_, [&](const Layer& layer) { return layer.shard.is_same(parameter.tensor); });
  });
  return whole;
}

at::Tensor ShardedWeights::whole(std::size_t layer) {
  Gather gather = start(layer, at::kFloat);
  gather.work.finish();
  release();
  return shaped(layer, gather.whole);
}

PhaseMarks& ShardedWeights::marks(std::size_t layer, bool backward) {
  auto& marks = marks_[{layer, backward}];
  if (!marks) marks = make_phase_marks(PhaseClock::kEvents, group_.device(), 1);
  return *marks;
}

std::vector<GatherWait> ShardedWeights::take_waits() {
  std::vector<GatherWait> waits;
  for (const auto& [layer, backward] : waited_) {
    waits.push_back({layer, backward, marks(layer, backward).durations_ns().front()});
  }
  waited_.clear();
  return waits;
}

std::int64_t ShardedWeights::time_gather(std::size_t layer) {
  group_.barrier();
  const std::int64_t start_ns = host_now_ns();
  Gather gather = start(layer, compute_);
  gather.work.finish();
  synchronize(group_.device());
  release();
  return host_now_ns() - start_ns;
}

std::int64_t ShardedWeights::gathered_bytes(std::size_t layer) const {
  return elements_of(layers_[layer].shape) * static_cast<std::int64_t>(c10::elementSize(compute_));
}

}  // namespace labreport
