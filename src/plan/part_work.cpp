#include "plan/part_work.h"

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
};

// The numbers of accesses to each element; in FP32 elements except for kMaskAccesses.
constexpr double kFp32ElementBytes = 4;
constexpr double kSoftmaxAccesses = 8;
constexpr double kMaskAccesses = 4;
constexpr double kNormAccesses = 7;
constexpr double kAdamWAccesses = 33;

}  // namespace

PartWork part_work(NetworkPart part, const CellSpec& spec) {
  if (!spec.implementation.empty()) return {};
  const NetworkSizes n(spec);
  switch (part) {
    case NetworkPart::kScores:
    case NetworkPart::kValues:
      return {.flops = 2 * n.hidden() * n.context,
              .bytes = n.element_bytes * (2 * n.hidden() + n.scores)};
    case NetworkPart::kScaleMask:
      return {.flops = n.scores, .bytes = n.element_bytes * kMaskAccesses * n.scores};
    case NetworkPart::kSoftmax:
      return {.flops = 5 * n.scores, .bytes = kFp32ElementBytes * kSoftmaxAccesses * n.scores};
    case NetworkPart::kProjections:
      return {.flops = 8 * n.hidden() * n.width,
              .bytes = 4 * n.element_bytes * (2 * n.hidden() + n.layers * n.width * n.width)};
    case NetworkPart::kFeedForward: {
      const double inputs_and_outputs = n.layers * n.tokens * (n.width + n.inner_width);
      return {
          .flops = 6 * n.hidden() * n.inner_width,
          .bytes = 3 * n.element_bytes * (inputs_and_outputs + n.layers * n.width * n.inner_width)};
    }
    case NetworkPart::kHead:
      return {.flops = 2 * n.tokens * n.width * n.vocabulary,
              .bytes =
                  n.element_bytes * (n.tokens * (n.width + n.vocabulary) + n.width * n.vocabulary)};
    case NetworkPart::kNormalization: {
      const double elements = (2 * n.layers + 1) * n.tokens * n.width;
      return {.flops = 4 * elements, .bytes = kFp32ElementBytes * kNormAccesses * elements};
    }
    case NetworkPart::kOptimizer:
      return {.flops = 14 * n.parameters,
              .bytes = kFp32ElementBytes * kAdamWAccesses * n.parameters};
  }
  return {};
}

}  // namespace labreport
