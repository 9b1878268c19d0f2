#include "plan/memory.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/format.h"
#include "plan/arithmetic.h"
#include "plan/editions.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kHalf = 2;
constexpr std::int64_t kIndex = 8;

/// The index ranges of a tensor, which determine its number of elements.
enum class Unit { kWidth, kInner, kPair, kHeadRow, kToken, kMask };

struct Elements {
  const char* formula;
  std::int64_t count;
};

Elements elements(Unit unit, const CellSpec& spec) {
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const std::int64_t context = spec.context.value_or(0);
  const std::int64_t tokens = spec.batch.value_or(0) * context;
  switch (unit) {
    case Unit::kWidth:
      return {"B S d", tokens * shape.d_model};
    case Unit::kInner:
      return {"B S d_ff", tokens * shape.d_ff};
    case Unit::kPair:
      return {"B h S²", tokens * context * shape.heads};
    case Unit::kHeadRow:
      return {"B h S", tokens * shape.heads};
    case Unit::kToken:
      return {"B S", tokens};
    case Unit::kMask:
      return {"S²", context * context};
  }
  return {"", 0};
}

/// Tells when a block saves a tensor. The probabilities and all later tensors come after the
/// softmax.
enum class Saved { kUntilSoftmax, kAfterSoftmax };

/// A saved tensor. `fp32` and `half` are the bytes that all copies of one element have together, in
/// FP32 and under autocast.
struct Rule {
  const char* module;
  const char* what;
  Unit unit;
  std::int64_t fp32;
  std::int64_t half;
  Saved when = Saved::kUntilSoftmax;
};

constexpr std::array kRules{
    Rule{"ln1", "residual stream", Unit::kWidth, kFp32, kFp32},
    Rule{"ln1", "1/rms", Unit::kToken, kFp32, kFp32},
    Rule{"ln1", "x / rms", Unit::kWidth, kFp32, kFp32},
    Rule{"attn/q_proj, k_proj, v_proj", "input", Unit::kWidth, kFp32, 3 * kHalf},
    Rule{"attn/scores", "rotated queries", Unit::kWidth, kFp32, kHalf},
    Rule{"attn/scores", "rotated keys", Unit::kWidth, kFp32, kHalf},
    Rule{"attn/scores", "mask", Unit::kMask, 1, 1},
    Rule{"attn/softmax", "indices of maxima", Unit::kHeadRow, kIndex, kIndex},
    Rule{"attn/softmax", "exponentials", Unit::kPair, kFp32, kFp32},
    Rule{"attn/softmax", "sums", Unit::kHeadRow, kFp32, kFp32},
    Rule{"attn/final matmul", "probabilities", Unit::kPair, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"attn/final matmul", "values", Unit::kWidth, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"attn/output_proj", "input", Unit::kWidth, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"ln2", "residual stream", Unit::kWidth, kFp32, kFp32, Saved::kAfterSoftmax},
    Rule{"ln2", "1/rms", Unit::kToken, kFp32, kFp32, Saved::kAfterSoftmax},
    Rule{"ln2", "x / rms", Unit::kWidth, kFp32, kFp32, Saved::kAfterSoftmax},
    Rule{"ffn/w1, w3", "input", Unit::kWidth, kFp32, 2 * kHalf, Saved::kAfterSoftmax},
    Rule{"ffn/silu", "W1 x", Unit::kInner, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"ffn/silu", "sigmoid", Unit::kInner, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"ffn", "silu(W1 x)", Unit::kInner, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"ffn", "W3 x", Unit::kInner, kFp32, kHalf, Saved::kAfterSoftmax},
    Rule{"ffn/w2", "input", Unit::kInner, kFp32, kHalf, Saved::kAfterSoftmax}};

std::int64_t tokens_of(const CellSpec& spec) {
  return spec.batch.value_or(0) * spec.context.value_or(0);
}

std::int64_t width_of(const CellSpec& spec) { return under_autocast(spec) ? kHalf : kFp32; }

std::int64_t logit_bytes(const CellSpec& spec) {
  return width_of(spec) * tokens_of(spec) * spec.model->vocab;
}

/// Returns the bytes that the final norm and the output layer save, including the logits.
std::int64_t saved_by_head(const CellSpec& spec) {
  const std::int64_t norm = (2 * kFp32 + width_of(spec)) * spec.model->d_model + kFp32;
  return tokens_of(spec) * norm + logit_bytes(spec);
}

std::int64_t saved_by_loss(const CellSpec& spec) {
  return tokens_of(spec) * (kFp32 * spec.model->vocab + kFp32 + kIndex);
}

std::int64_t rule_bytes(const Rule& rule, const CellSpec& spec) {
  return (under_autocast(spec) ? rule.half : rule.fp32) * elements(rule.unit, spec).count;
}

std::int64_t projection_weights(const ModelShape& shape) {
  return 4 * shape.d_model * shape.d_model;
}
std::int64_t ffn_weights(const ModelShape& shape) { return 3 * shape.d_model * shape.d_ff; }

}  // namespace

std::vector<SavedTensor> saved_by_block(const CellSpec& spec) {
  std::vector<SavedTensor> saved;
  for (const Rule& rule : kRules) {
    const std::int64_t width = under_autocast(spec) ? rule.half : rule.fp32;
    saved.push_back(
        {rule.module, rule.what,
         (width == 1 ? "" : format_count(width) + " ") + elements(rule.unit, spec).formula,
         rule_bytes(rule, spec)});
  }
  return saved;
}

std::int64_t saved_block_bytes(const CellSpec& spec) {
  std::int64_t sum = 0;
  for (const SavedTensor& tensor : saved_by_block(spec)) sum += tensor.bytes;
  return sum;
}

std::int64_t saved_bytes(const CellSpec& spec) {
  if (!spec.model || !spec.mode || spec.mode == Mode::kInference) return 0;
  return spec.model->layers * saved_block_bytes(spec) + saved_by_head(spec) +
         (has_backward(spec) ? saved_by_loss(spec) : 0);
}

std::int64_t weight_copy_bytes(const CellSpec& spec) {
  if (!spec.model || !under_autocast(spec)) return 0;
  const ModelShape& shape = *spec.model;
  return kHalf * (shape.layers * (projection_weights(shape) + ffn_weights(shape)) +
                  shape.vocab * shape.d_model);
}

std::int64_t parameter_bytes(const ModelShape& shape) { return kFp32 * parameter_count(shape); }

std::int64_t moment_bytes(const ModelShape& shape) { return 2 * parameter_bytes(shape); }

std::int64_t block_gradient_bytes(const ModelShape& shape) {
  return kFp32 * (projection_weights(shape) + ffn_weights(shape) + 2 * shape.d_model);
}

std::int64_t residual_bytes(const CellSpec& spec) {
  return kFp32 * elements(Unit::kWidth, spec).count;
}

std::int64_t score_bytes(const CellSpec& spec) {
  return (under_autocast(spec) ? kHalf : kFp32) * elements(Unit::kPair, spec).count;
}

namespace {

/// Counts the weights that are used after the last block's attention products: its output
/// projection, its FFN, and the output layer.
std::int64_t later_weights(const ModelShape& shape) {
  return projection_weights(shape) / 4 + ffn_weights(shape) + shape.vocab * shape.d_model;
}

std::int64_t copies_at_softmax(const CellSpec& spec) {
  return under_autocast(spec) ? weight_copy_bytes(spec) - kHalf * later_weights(*spec.model) : 0;
}

/// Returns the bytes that all blocks have saved while the last one computes its softmax, forward or
/// backward. Tensors that the last block saves after its softmax are not counted.
std::int64_t saved_at_softmax(const CellSpec& spec) {
  std::int64_t later = 0;
  for (const Rule& rule : kRules) {
    if (rule.when == Saved::kAfterSoftmax) later += rule_bytes(rule, spec);
  }
  return spec.model->layers * saved_block_bytes(spec) - later;
}

/// Returns `pair` bytes for each pair of positions and head, plus `width` bytes for each element of
/// the residual stream.
std::int64_t per_pair_and_width(const CellSpec& spec, std::int64_t pair, std::int64_t width) {
  return pair * elements(Unit::kPair, spec).count + width * elements(Unit::kWidth, spec).count;
}

/// Adds the instants of a step without a graph. At the softmax: scores, shifted scores,
/// exponentials and probabilities; residual stream, norm, q, k, v. At the FFN: four tensors of the
/// inner width; residual stream twice, norm. At the logits: residual stream, norm, and under
/// autocast its copy.
void add_inference(std::vector<ExpectedPeak>& peaks, const ExpectedPeak& base,
                   const CellSpec& spec) {
  const bool half = under_autocast(spec);
  const ModelShape& shape = *spec.model;
  const std::int64_t inner = elements(Unit::kInner, spec).count;
  const std::int64_t rows =
      elements(Unit::kMask, spec).count + kFp32 * elements(Unit::kHeadRow, spec).count;
  const std::int64_t weights_after_ffn = shape.d_model * (shape.d_ff + shape.vocab);
  const std::int64_t copies = weight_copy_bytes(spec);
  const auto add = [&](std::int64_t weights, std::int64_t temporaries) {
    peaks.push_back(base);
    peaks.back().weight_copies = weights;
    peaks.back().temporaries = temporaries;
  };
  add(copies_at_softmax(spec),
      (half ? per_pair_and_width(spec, 12, 18) : per_pair_and_width(spec, 16, 20)) + rows);
  add(half ? copies - kHalf * weights_after_ffn : 0,
      per_pair_and_width(spec, 0, 12) + 4 * width_of(spec) * inner);
  add(copies, logit_bytes(spec) + per_pair_and_width(spec, 0, half ? 10 : 8));
}

/// Adds the instants of a forward pass with a graph, and of the loss. At the softmax: scores,
/// shifted scores, probabilities, and under autocast the results of casts: norm, q and k in FP32.
/// At the loss: shifted logits and their logarithms, and under autocast more in its backward.
void add_forward(std::vector<ExpectedPeak>& peaks, const ExpectedPeak& base, const CellSpec& spec) {
  const bool half = under_autocast(spec);
  const std::int64_t values = width_of(spec) * elements(Unit::kWidth, spec).count;
  peaks.push_back(base);
  peaks.back().activations = saved_at_softmax(spec) + values;
  peaks.back().weight_copies = copies_at_softmax(spec);
  peaks.back().temporaries =
      half ? per_pair_and_width(spec, 8, 12) : per_pair_and_width(spec, 12, 0);
  CellSpec forward = spec;
  forward.mode = Mode::kForward;
  peaks.push_back(base);
  peaks.back().activations = saved_bytes(forward);
  peaks.back().weight_copies = weight_copy_bytes(spec);
  peaks.back().temporaries = half ? per_pair_and_width(spec, 0, 4) : 0;
  if (!has_backward(spec)) return;
  peaks.push_back(base);
  peaks.back().phase = half ? metric::kBackward : metric::kLoss;
  peaks.back().activations = saved_bytes(spec);
  peaks.back().weight_copies = weight_copy_bytes(spec);
  peaks.back().temporaries = tokens_of(spec) * spec.model->vocab * (half ? 10 : 8);
}

/// Returns the memory during the backward of the last block's softmax. Temporaries are five tensors
/// of the scores' shape and the gradients of the values and the residual stream.
ExpectedPeak in_softmax_backward(ExpectedPeak base, const CellSpec& spec) {
  const ModelShape& shape = *spec.model;
  base.phase = metric::kBackward;
  base.gradients = kFp32 * (later_weights(shape) + 2 * shape.d_model);
  base.activations = saved_at_softmax(spec) + logit_bytes(spec);
  base.weight_copies = copies_at_softmax(spec);
  base.temporaries = per_pair_and_width(spec, 5 * kFp32, kFp32 + width_of(spec));
  return base;
}

/// Adds the instants of a step with checkpoints before the end of backward: the loss, and the
/// backward of three groups: the last, which may be smaller, the one before it, and the first. A
/// group between the first and the last but one has a peak between the peaks of these two.
void add_checkpointed(std::vector<ExpectedPeak>& peaks, const ExpectedPeak& base,
                      const CellSpec& spec) {
  const std::int64_t layers = spec.model->layers, size = *spec.blocks_per_checkpoint;
  const std::int64_t groups = (layers + size - 1) / size;
  // Until the loss, groups hold only their inputs; autocast still holds its copies of weights.
  ExpectedPeak& loss = peaks.emplace_back(base);
  loss.phase = metric::kLoss;
  loss.activations = groups * residual_bytes(spec) + saved_by_head(spec) + saved_by_loss(spec);
  loss.weight_copies = weight_copy_bytes(spec);
  loss.temporaries = tokens_of(spec) * spec.model->vocab * 8;
  const std::int64_t before_last = std::max<std::int64_t>(groups - 1, 1);
  for (const std::int64_t inputs : std::set<std::int64_t, std::greater<>>{groups, before_last, 1}) {
    // In the backward of a group, the step holds the inputs of this group and of all groups before
    // it, the group's output and its gradient, and the gradients of the blocks after the group.
    const std::int64_t end = std::min(inputs * size, layers);
    CellSpec group = spec;
    group.model->layers = end - (inputs - 1) * size;
    ExpectedPeak peak = in_softmax_backward(base, group);  // includes the group's own input
    peak.gradients += (layers - end) * block_gradient_bytes(*spec.model);
    peak.activations += (inputs - 1 + 2) * residual_bytes(spec);
    peaks.push_back(peak);
  }
}

}  // namespace

std::vector<ExpectedPeak> possible_peaks(const CellSpec& spec) {
  if (!spec.model || !spec.mode || !spec.implementation.empty()) return {};
  const ModelShape& shape = *spec.model;
  ExpectedPeak base{.phase = metric::kForward, .parameters = parameter_bytes(shape)};
  if (spec.mode == Mode::kTrainStep) base.moments = moment_bytes(shape);
  std::vector<ExpectedPeak> peaks;
  if (spec.mode == Mode::kInference) {
    add_inference(peaks, base, spec);
    return peaks;
  }
  if (!has_backward(spec)) {
    add_forward(peaks, base, spec);
    return peaks;
  }
  if (spec.blocks_per_checkpoint) {
    add_checkpointed(peaks, base, spec);
  } else {
    add_forward(peaks, base, spec);
    peaks.push_back(in_softmax_backward(base, spec));
  }
  ExpectedPeak end = base;
  end.phase = metric::kBackward;
  end.gradients = parameter_bytes(shape);
  end.activations = logit_bytes(spec);
  peaks.push_back(end);
  if (spec.mode != Mode::kTrainStep) return peaks;
  // AdamW needs four tensors of the largest parameter's shape: a new moment and three temporaries.
  end.phase = metric::kOptimizer;
  end.temporaries = 4 * kFp32 * shape.d_model * std::max({shape.d_model, shape.d_ff, shape.vocab});
  peaks.push_back(end);
  return peaks;
}

ExpectedPeak expected_peak(const CellSpec& spec) {
  const auto peaks = possible_peaks(spec);
  return peaks.empty() ? ExpectedPeak{}
                       : *std::ranges::max_element(peaks, {}, &ExpectedPeak::total);
}

std::string size_formula(const CellSpec& spec, std::int64_t bytes) {
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const std::int64_t tokens = tokens_of(spec);
  const std::array<std::pair<const char*, std::int64_t>, 4> tensors{
      {{"B · h · S²", elements(Unit::kPair, spec).count},
       {"B · S · d_ff", tokens * shape.d_ff},
       {"B · S · V", tokens * shape.vocab},
       {"B · S · d", tokens * shape.d_model}}};
  // FP32 comes first, because only autocast makes 16-bit tensors.
  for (const std::int64_t width : {kFp32, kHalf}) {
    if (width == kHalf && !under_autocast(spec)) break;
    for (const auto& [formula, count] : tensors) {
      if (count > 0 && bytes == width * count) {
        return std::string(formula) + " · " + format_count(width);
      }
    }
  }
  return "";
}

}  // namespace labreport
