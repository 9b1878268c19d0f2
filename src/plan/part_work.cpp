#include "plan/part_work.h"

#include "plan/editions.h"

namespace labreport {
namespace {

/// Sizes of the network; `pairs` and hidden() count elements over all layers.
struct Sizes {
  double layers, tokens, context, width, inner, pairs, element_bytes, parameters;

  explicit Sizes(const CellSpec& spec) {
    const ModelShape shape = spec.model.value_or(ModelShape{});
    layers = static_cast<double>(shape.layers);
    context = static_cast<double>(spec.context.value_or(0));
    tokens = static_cast<double>(spec.batch.value_or(0)) * context;
    width = static_cast<double>(shape.d_model);
    inner = static_cast<double>(shape.d_ff);
    pairs = layers * tokens * context * static_cast<double>(shape.heads);
    element_bytes = under_autocast(spec) ? 2 : 4;
    parameters = static_cast<double>(parameter_count(shape));
  }

  double hidden() const { return layers * tokens * width; }
};

// Accesses are a part's reads and writes of each element, in FP32 except for kMaskAccesses.
constexpr double kFp32Width = 4;
constexpr double kSoftmaxAccesses = 8;
constexpr double kMaskAccesses = 4;
constexpr double kNormAccesses = 7;
constexpr double kAdamWAccesses = 33;

}  // namespace

PartWork part_work(NetworkPart part, const CellSpec& spec) {
  if (!spec.implementation.empty()) return {};
  const Sizes n(spec);
  switch (part) {
    case NetworkPart::kScores:
    case NetworkPart::kValues:
      return {.flops = 2 * n.hidden() * n.context,
              .bytes = n.element_bytes * (2 * n.hidden() + n.pairs)};
    case NetworkPart::kScaleMask:
      return {.flops = n.pairs, .bytes = n.element_bytes * kMaskAccesses * n.pairs};
    case NetworkPart::kSoftmax:
      return {.flops = 5 * n.pairs, .bytes = kFp32Width * kSoftmaxAccesses * n.pairs};
    case NetworkPart::kProjections:
      return {.flops = 8 * n.hidden() * n.width,
              .bytes = 4 * n.element_bytes * (2 * n.hidden() + n.layers * n.width * n.width)};
    case NetworkPart::kFeedForward: {
      const double ends = n.layers * n.tokens * (n.width + n.inner);
      return {.flops = 6 * n.hidden() * n.inner,
              .bytes = 3 * n.element_bytes * (ends + n.layers * n.width * n.inner)};
    }
    case NetworkPart::kNormalization: {
      const double elements = (2 * n.layers + 1) * n.tokens * n.width;
      return {.flops = 4 * elements, .bytes = kFp32Width * kNormAccesses * elements};
    }
    case NetworkPart::kOptimizer:
      return {.flops = 14 * n.parameters, .bytes = kFp32Width * kAdamWAccesses * n.parameters};
  }
  return {};
}

}  // namespace labreport
