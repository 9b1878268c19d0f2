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

// Bytes of an element.
constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kHalf = 2;
constexpr std::int64_t kIndex = 8;

/// The shapes of saved tensors. elements() gives their formulas.
enum class TensorShape { kWidth, kInner, kPair, kHeadRow, kToken, kMask };

struct ElementCount {
  const char* formula;
  std::int64_t count;
};

ElementCount elements(TensorShape tensor_shape, const CellSpec& spec) {
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const std::int64_t context = spec.context.value_or(0);
  const std::int64_t tokens = spec.batch.value_or(0) * context;
  switch (tensor_shape) {
    case TensorShape::kWidth:
      return {"B S d", tokens * shape.d_model};
    case TensorShape::kInner:
      return {"B S d_ff", tokens * shape.d_ff};
    case TensorShape::kPair:
      return {"B h S²", tokens * context * shape.heads};
    case TensorShape::kHeadRow:
      return {"B h S", tokens * shape.heads};
    case TensorShape::kToken:
      return {"B S", tokens};
    case TensorShape::kMask:
      return {"S²", context * context};
  }
  return {"", 0};
}

/// Says whether a block saves a tensor before or during its softmax, or after it.
enum class SavedWhen { kUntilSoftmax, kAfterSoftmax };

/// Describes a saved tensor. If modules save copies of their own, the bytes of an element are those
/// of all copies together.
struct SavingRule {
  const char* module;
  const char* contents;
  TensorShape shape;
  std::int64_t fp32_bytes;      ///< Bytes of an element without autocast.
  std::int64_t autocast_bytes;  ///< Bytes of an element under autocast.
  SavedWhen when = SavedWhen::kUntilSoftmax;
};

constexpr std::array kSavingRules{
    SavingRule{"ln1", "residual stream", TensorShape::kWidth, kFp32, kFp32},
    SavingRule{"ln1", "1/rms", TensorShape::kToken, kFp32, kFp32},
    SavingRule{"ln1", "x / rms", TensorShape::kWidth, kFp32, kFp32},
    SavingRule{"attn/q_proj, k_proj, v_proj", "input", TensorShape::kWidth, kFp32, 3 * kHalf},
    SavingRule{"attn/scores", "rotated queries", TensorShape::kWidth, kFp32, kHalf},
    SavingRule{"attn/scores", "rotated keys", TensorShape::kWidth, kFp32, kHalf},
    SavingRule{"attn/scores", "mask", TensorShape::kMask, 1, 1},
    SavingRule{"attn/softmax", "indices of maxima", TensorShape::kHeadRow, kIndex, kIndex},
    SavingRule{"attn/softmax", "exponentials", TensorShape::kPair, kFp32, kFp32},
    SavingRule{"attn/softmax", "sums", TensorShape::kHeadRow, kFp32, kFp32},
    SavingRule{"attn/final matmul", "probabilities", TensorShape::kPair, kFp32, kHalf,
               SavedWhen::kAfterSoftmax},
    SavingRule{"attn/final matmul", "values", TensorShape::kWidth, kFp32, kHalf,
               SavedWhen::kAfterSoftmax},
    SavingRule{"attn/output_proj", "input", TensorShape::kWidth, kFp32, kHalf,
               SavedWhen::kAfterSoftmax},
    SavingRule{"ln2", "residual stream", TensorShape::kWidth, kFp32, kFp32,
               SavedWhen::kAfterSoftmax},
    SavingRule{"ln2", "1/rms", TensorShape::kToken, kFp32, kFp32, SavedWhen::kAfterSoftmax},
    SavingRule{"ln2", "x / rms", TensorShape::kWidth, kFp32, kFp32, SavedWhen::kAfterSoftmax},
    SavingRule{"ffn/w1, w3", "input", TensorShape::kWidth, kFp32, 2 * kHalf,
               SavedWhen::kAfterSoftmax},
    SavingRule{"ffn/silu", "W1 x", TensorShape::kInner, kFp32, kHalf, SavedWhen::kAfterSoftmax},
    SavingRule{"ffn/silu", "sigmoid", TensorShape::kInner, kFp32, kHalf, SavedWhen::kAfterSoftmax},
    SavingRule{"ffn", "silu(W1 x)", TensorShape::kInner, kFp32, kHalf, SavedWhen::kAfterSoftmax},
    SavingRule{"ffn", "W3 x", TensorShape::kInner, kFp32, kHalf, SavedWhen::kAfterSoftmax},
    SavingRule{"ffn/w2", "input", TensorShape::kInner, kFp32, kHalf, SavedWhen::kAfterSoftmax}};

std::int64_t tokens_of(const CellSpec& spec) {
  return spec.batch.value_or(0) * spec.context.value_or(0);
}

/// Returns the bytes of an element that a linear layer outputs.
std::int64_t element_bytes(const CellSpec& spec) { return under_autocast(spec) ? kHalf : kFp32; }

std::int64_t logit_bytes(const CellSpec& spec) {
  return element_bytes(spec) * tokens_of(spec) * spec.model->vocab;
}

/// Returns the bytes that the final norm and the output layer save, including the logits.
std::int64_t bytes_saved_by_output(const CellSpec& spec) {
  const std::int64_t per_token = (2 * kFp32 + element_bytes(spec)) * spec.model->d_model + kFp32;
  return tokens_of(spec) * per_token + logit_bytes(spec);
}

std::int64_t bytes_saved_by_loss(const CellSpec& spec) {
  return tokens_of(spec) * (kFp32 * spec.model->vocab + kFp32 + kIndex);
}

std::int64_t rule_bytes(const SavingRule& rule, const CellSpec& spec) {
  return (under_autocast(spec) ? rule.autocast_bytes : rule.fp32_bytes) *
         elements(rule.shape, spec).count;
}

std::int64_t projection_weights(const ModelShape& shape) {
  return 4 * shape.d_model * shape.d_model;
}
std::int64_t ffn_weights(const ModelShape& shape) { return 3 * shape.d_model * shape.d_ff; }

}  // namespace

std::vector<SavedTensor> tensors_saved_by_block(const CellSpec& spec) {
  std::vector<SavedTensor> saved;
  for (const SavingRule& rule : kSavingRules) {
    const std::int64_t width = under_autocast(spec) ? rule.autocast_bytes : rule.fp32_bytes;
    saved.push_back(
        {rule.module, rule.contents,
         (width == 1 ? "" : format_count(width) + " ") + elements(rule.shape, spec).formula,
         rule_bytes(rule, spec)});
  }
  return saved;
}

std::int64_t saved_block_bytes(const CellSpec& spec) {
  std::int64_t sum = 0;
  for (const SavingRule& rule : kSavingRules) sum += rule_bytes(rule, spec);
  return sum;
}

std::int64_t saved_bytes(const CellSpec& spec) {
  if (!spec.model || !spec.mode || spec.mode == Mode::kInference) return 0;
  return spec.model->layers * saved_block_bytes(spec) + bytes_saved_by_output(spec) +
         (has_backward(spec) ? bytes_saved_by_loss(spec) : 0);
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
  return kFp32 * elements(TensorShape::kWidth, spec).count;
}

std::int64_t score_bytes(const CellSpec& spec) {
  return (under_autocast(spec) ? kHalf : kFp32) * elements(TensorShape::kPair, spec).count;
}

namespace {

/// Returns the number of weights that forward uses after the last block's softmax: those of the
/// block's output projection and FFN, and of the output layer.
std::int64_t weights_after_softmax(const ModelShape& shape) {
  return projection_weights(shape) / 4 + ffn_weights(shape) + shape.vocab * shape.d_model;
}

/// Returns the bytes of autocast's copies that exist while the last block computes its softmax.
std::int64_t weight_copy_bytes_at_softmax(const CellSpec& spec) {
  return under_autocast(spec) ? weight_copy_bytes(spec) - kHalf * weights_after_softmax(*spec.model)
                              : 0;
}

/// Returns the bytes that are saved while the last block computes its softmax, in forward or in
/// backward: those of all blocks without the tensors that the last block saves after its softmax.
std::int64_t saved_bytes_at_softmax(const CellSpec& spec) {
  std::int64_t later = 0;
  for (const SavingRule& rule : kSavingRules) {
    if (rule.when == SavedWhen::kAfterSoftmax) later += rule_bytes(rule, spec);
  }
  return spec.model->layers * saved_block_bytes(spec) - later;
}

std::int64_t score_and_residual_bytes(const CellSpec& spec, std::int64_t bytes_per_score,
                                      std::int64_t bytes_per_residual_element) {
  return bytes_per_score * elements(TensorShape::kPair, spec).count +
         bytes_per_residual_element * elements(TensorShape::kWidth, spec).count;
}

/// Adds the instants of inference. At the softmax, the temporaries are scores, shifted scores,
/// exponentials, their sums, probabilities, the mask, the residual stream, the norm, q, k and v. At
/// the FFN, they are four tensors of the inner width, the residual stream twice and the norm. At
/// the end, they are logits, the residual stream, the norm and, under autocast, the norm's copy.
void add_inference_peaks(std::vector<ExpectedPeak>& peaks, const ExpectedPeak& base,
                         const CellSpec& spec) {
  const bool autocast = under_autocast(spec);
  const ModelShape& shape = *spec.model;
  const std::int64_t inner = elements(TensorShape::kInner, spec).count;
  const std::int64_t mask_and_sums = elements(TensorShape::kMask, spec).count +
                                     kFp32 * elements(TensorShape::kHeadRow, spec).count;
  const std::int64_t w2_and_output_weights = shape.d_model * (shape.d_ff + shape.vocab);
  const std::int64_t copies = weight_copy_bytes(spec);
  const auto add = [&](std::int64_t copy_bytes, std::int64_t temporaries) {
    peaks.push_back(base);
    peaks.back().weight_copies = copy_bytes;
    peaks.back().temporaries = temporaries;
  };
  add(weight_copy_bytes_at_softmax(spec),
      (autocast ? score_and_residual_bytes(spec, 12, 18) : score_and_residual_bytes(spec, 16, 20)) +
          mask_and_sums);
  add(autocast ? copies - kHalf * w2_and_output_weights : 0,
      score_and_residual_bytes(spec, 0, 12) + 4 * element_bytes(spec) * inner);
  add(copies, logit_bytes(spec) + score_and_residual_bytes(spec, 0, autocast ? 10 : 8));
}

/// Adds the instants of a forward pass that saves tensors, and of the loss. At the softmax, the
/// values exist already, and the temporaries are scores, shifted scores and probabilities; under
/// autocast also norm, q and k in FP32, which were cast. At the loss, they are shifted logits and
/// their logarithms. Under autocast, the backward of the loss needs more: the instant lies there.
void add_forward_peaks(std::vector<ExpectedPeak>& peaks, const ExpectedPeak& base,
                       const CellSpec& spec) {
  const bool autocast = under_autocast(spec);
  const std::int64_t values = element_bytes(spec) * elements(TensorShape::kWidth, spec).count;
  peaks.push_back(base);
  peaks.back().activations = saved_bytes_at_softmax(spec) + values;
  peaks.back().weight_copies = weight_copy_bytes_at_softmax(spec);
  peaks.back().temporaries =
      autocast ? score_and_residual_bytes(spec, 8, 12) : score_and_residual_bytes(spec, 12, 0);
  CellSpec forward = spec;
  forward.mode = Mode::kForward;
  peaks.push_back(base);
  peaks.back().activations = saved_bytes(forward);
  peaks.back().weight_copies = weight_copy_bytes(spec);
  peaks.back().temporaries = autocast ? score_and_residual_bytes(spec, 0, 4) : 0;
  if (!has_backward(spec)) return;
  peaks.push_back(base);
  peaks.back().phase = autocast ? metric::kBackward : metric::kLoss;
  peaks.back().activations = saved_bytes(spec);
  peaks.back().weight_copies = weight_copy_bytes(spec);
  peaks.back().temporaries = tokens_of(spec) * spec.model->vocab * (autocast ? 10 : 8);
}

/// Returns the bytes during the backward of the last block's softmax. Temporaries are five tensors
/// of the scores' shape and the gradients of the values and of the residual stream.
ExpectedPeak peak_in_softmax_backward(ExpectedPeak base, const CellSpec& spec) {
  const ModelShape& shape = *spec.model;
  base.phase = metric::kBackward;
  base.gradients = kFp32 * (weights_after_softmax(shape) + 2 * shape.d_model);
  base.activations = saved_bytes_at_softmax(spec) + logit_bytes(spec);
  base.weight_copies = weight_copy_bytes_at_softmax(spec);
  base.temporaries = score_and_residual_bytes(spec, 5 * kFp32, kFp32 + element_bytes(spec));
  return base;
}

/// Adds the instants before the end of backward in a step with checkpoints: the loss, and the
/// backward of the last group, which may be smaller, of the group before it and of the first group.
/// The peak of each group in between lies between those of the first group and the last but one.
void add_checkpointed_peaks(std::vector<ExpectedPeak>& peaks, const ExpectedPeak& base,
                            const CellSpec& spec) {
  const std::int64_t layers = spec.model->layers, group_size = *spec.blocks_per_checkpoint;
  const std::int64_t groups = (layers + group_size - 1) / group_size;
  // Until the loss, groups hold only their inputs. Autocast still holds its copies of the weights.
  ExpectedPeak& loss = peaks.emplace_back(base);
  loss.phase = metric::kLoss;
  loss.activations =
      groups * residual_bytes(spec) + bytes_saved_by_output(spec) + bytes_saved_by_loss(spec);
  loss.weight_copies = weight_copy_bytes(spec);
  loss.temporaries = tokens_of(spec) * spec.model->vocab * 8;
  const std::int64_t before_last = std::max<std::int64_t>(groups - 1, 1);
  for (const std::int64_t number : std::set<std::int64_t, std::greater<>>{groups, before_last, 1}) {
    // In the backward of group `number`, counted from 1, this group and those before it still hold
    // their inputs. The step also holds the group's output, the gradient of this output, and the
    // gradients of later blocks.
    const std::int64_t end = std::min(number * group_size, layers);
    CellSpec group = spec;
    group.model->layers = end - (number - 1) * group_size;
    ExpectedPeak peak = peak_in_softmax_backward(base, group);  // This includes the group's input.
    peak.gradients += (layers - end) * block_gradient_bytes(*spec.model);
    peak.activations += (number - 1 + 2) * residual_bytes(spec);
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
    add_inference_peaks(peaks, base, spec);
    return peaks;
  }
  if (!has_backward(spec)) {
    add_forward_peaks(peaks, base, spec);
    return peaks;
  }
  if (spec.blocks_per_checkpoint) {
    add_checkpointed_peaks(peaks, base, spec);
  } else {
    add_forward_peaks(peaks, base, spec);
    peaks.push_back(peak_in_softmax_backward(base, spec));
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
      {{"B · h · S²", elements(TensorShape::kPair, spec).count},
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
