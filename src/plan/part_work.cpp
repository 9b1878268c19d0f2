#include "plan/part_work.h"

#include "plan/editions.h"

namespace labreport {
namespace {

/// Sizes of the network; `pairs` and hidden() count elements over all layers.
struct Sizes {
  double layers, tokens, context, width, inner, pairs, wide, parameters;

  explicit Sizes(const CellSpec& spec) {
    const ModelShape shape = spec.model.value_or(ModelShape{});
    layers = static_cast<double>(shape.layers);
    context = static_cast<double>(spec.context.value_or(0));
    tokens = static_cast<double>(spec.batch.value_or(0)) * context;
    width = static_cast<double>(shape.d_model);
    inner = static_cast<double>(shape.d_ff);
    pairs = layers * tokens * context * static_cast<double>(shape.heads);
    wide = under_autocast(spec) ? 2 : 4;
    parameters = static_cast<double>(parameter_count(shape));
  }

  double hidden() const { return layers * tokens * width; }
};

// These are reads and writes of FP32 elements, counted over the kernels that each part launches.
constexpr double kFp32Width = 4;
constexpr double kSoftmaxAccesses = 8;
constexpr double kMaskAccesses = 4;
constexpr double kNormAccesses = 7;
constexpr double kAdamWAccesses = 33;

PartWork attention_product(const Sizes& n) {
  return {2 * n.hidden() * n.context, n.wide * (2 * n.hidden() + n.pairs)};
}

PartWork projections(const Sizes& n) {
  return {8 * n.hidden() * n.width, 4 * n.wide * (2 * n.hidden() + n.layers * n.width * n.width)};
}

PartWork feed_forward(const Sizes& n) {
  const double ends = n.layers * n.tokens * (n.width + n.inner);
  return {6 * n.hidden() * n.inner, 3 * n.wide * (ends + n.layers * n.width * n.inner)};
}

PartWork normalization(const Sizes& n) {
  const double elements = (2 * n.layers + 1) * n.tokens * n.width;
  return {4 * elements, kFp32Width * kNormAccesses * elements};
}

}  // namespace

PartWork part_work(NetworkPart part, const CellSpec& spec) {
  if (!spec.implementation.empty()) return {};
  const Sizes n(spec);
  switch (part) {
    case NetworkPart::kScores:
    case NetworkPart::kValues:
      return attention_product(n);
    case NetworkPart::kScaleMask:
      return {n.pairs, n.wide * kMaskAccesses * n.pairs};
    case NetworkPart::kSoftmax:
      return {5 * n.pairs, kFp32Width * kSoftmaxAccesses * n.pairs};
    case NetworkPart::kProjections:
      return projections(n);
    case NetworkPart::kFeedForward:
      return feed_forward(n);
    case NetworkPart::kNormalization:
      return normalization(n);
    case NetworkPart::kOptimizer:
      return {14 * n.parameters, kFp32Width * kAdamWAccesses * n.parameters};
  }
  return {};
}

}  // namespace labreport
