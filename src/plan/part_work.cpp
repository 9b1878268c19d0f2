#include "plan/part_work.h"

#include <utility>

#include "plan/editions.h"

namespace labreport {
namespace {

/// Sizes of the network. `scores` counts the attention scores of all layers.
struct NetworkSizes {
  double layers, tokens, context, width, inner_width, scores, vocabulary, element_bytes, parameters;

  explicit NetworkSizes(const CellSpec& spec) {
    const ModelShape shape = spec.model.value_or(ModelShape{});
    layers = static_cast<double>(shape.layers);
    context = static_cast<double>(spec.context.value_or(0));
    tokens = static_cast<double>(spec.batch.value_or(0)) * context;
    width = static_cast<double>(shape.d_model);
    inner_width = static_cast<double>(shape.d_ff);
    scores = layers * tokens * context * static_cast<double>(shape.heads);
    vocabulary = static_cast<double>(shape.vocab);
    element_bytes = under_autocast(spec) ? 2 : 4;
    parameters = static_cast<double>(parameter_count(shape));
  }

  /// Returns the number of elements that all layers together output.
  double hidden() const { return layers * tokens * width; }
  double inner() const { return layers * tokens * inner_width; }
  double normalized() const { return (2 * layers + 1) * tokens * width; }
  /// Returns the weights of the linear layers and the LM head, which autocast casts.
  double cast_weights() const { return parameters - vocabulary * width - (2 * layers + 1) * width; }
};

// The eager kernels' accesses to each element; in FP32 elements except for kMaskAccesses.
constexpr double kFp32ElementBytes = 4;
constexpr double kSoftmaxAccesses = 8;
constexpr double kMaskAccesses = 4;
constexpr double kNormAccesses = 7;

/// Returns the needed work of forward and of backward. The optimizer's counts as forward.
std::pair<PartWork, PartWork> needed_by_pass(NetworkPart part, const NetworkSizes& n) {
  const double w = n.element_bytes, hidden = n.hidden(), inner = n.inner();
  const double attention_flops = 2 * hidden * n.context;
  switch (part) {
    case NetworkPart::kScores:
      return {{attention_flops, w * (2 * hidden + n.scores)},
              {2 * attention_flops, w * (4 * hidden + n.scores)}};
    case NetworkPart::kValues:
      return {{attention_flops, w * (2 * hidden + n.scores)},
              {2 * attention_flops, w * (3 * hidden + 2 * n.scores)}};
    case NetworkPart::kScaleMask:
      return {{n.scores, 2 * w * n.scores}, {n.scores, 2 * w * n.scores}};
    case NetworkPart::kSoftmax:
      return {{5 * n.scores, 2 * w * n.scores}, {4 * n.scores, 3 * w * n.scores}};
    case NetworkPart::kProjections: {
      const double flops = 8 * hidden * n.width, weights = n.layers * n.width * n.width;
      return {{flops, 4 * w * (2 * hidden + weights)},
              {2 * flops, 4 * w * (3 * hidden + 2 * weights)}};
    }
    case NetworkPart::kFeedForward: {
      const double flops = 6 * hidden * n.inner_width, weights = n.layers * n.width * n.inner_width;
      return {{flops, 3 * w * (hidden + inner + weights)},
              {2 * flops, w * (5 * hidden + 4 * inner + 6 * weights)}};
    }
    case NetworkPart::kHead: {
      const double flops = 2 * n.tokens * n.width * n.vocabulary, weights = n.width * n.vocabulary;
      return {{flops, w * (n.tokens * (n.width + n.vocabulary) + weights)},
              {2 * flops, w * (n.tokens * (2 * n.width + n.vocabulary) + 2 * weights)}};
    }
    case NetworkPart::kRope:
      return {{6 * hidden, 4 * w * hidden}, {6 * hidden, 4 * w * hidden}};
    case NetworkPart::kSwiGlu:
      return {{5 * inner, 3 * w * inner}, {8 * inner, 5 * w * inner}};
    case NetworkPart::kNormalization: {
      const double elements = n.normalized(), sums = 2 * hidden;
      return {
          {4 * elements + sums, (kFp32ElementBytes + w) * (elements + sums)},
          {8 * elements + sums, (2 * kFp32ElementBytes + w) * elements + kFp32ElementBytes * sums}};
    }
    case NetworkPart::kCasts: {
      const double bytes = w == kFp32ElementBytes ? 0 : (kFp32ElementBytes + w) * n.cast_weights();
      return {{0, bytes}, {0, bytes}};
    }
    case NetworkPart::kLoss: {
      const double logits = n.tokens * n.vocabulary;
      return {{5 * logits, w * logits}, {3 * logits, 2 * w * logits}};
    }
    case NetworkPart::kEmbedding: {
      const double rows = n.tokens * n.width, table = n.vocabulary * n.width;
      return {{0, 2 * kFp32ElementBytes * rows}, {rows, kFp32ElementBytes * (rows + table)}};
    }
    case NetworkPart::kOptimizer:
      return {{14 * n.parameters, kFusedAdamWBytes * n.parameters}, {}};
  }
  return {};
}

}  // namespace

PartWork part_work(NetworkPart part, const CellSpec& spec) {
  if (!spec.implementation.empty()) return {};
  const NetworkSizes n(spec);
  PartWork work = needed_by_pass(part, n).first;
  if (part == NetworkPart::kScaleMask) work.bytes = n.element_bytes * kMaskAccesses * n.scores;
  if (part == NetworkPart::kSoftmax) work.bytes = kFp32ElementBytes * kSoftmaxAccesses * n.scores;
  if (part == NetworkPart::kOptimizer) work.bytes = kUnfusedAdamWBytes * n.parameters;
  if (part == NetworkPart::kNormalization)
    work = {4 * n.normalized(), kFp32ElementBytes * kNormAccesses * n.normalized()};
  return work;
}

PartWork needed_work(NetworkPart part, const CellSpec& spec) {
  if (!spec.implementation.empty()) return {};
  const auto [forward, backward] = needed_by_pass(part, NetworkSizes(spec));
  return {forward.flops + backward.flops, forward.bytes + backward.bytes};
}

}  // namespace labreport
