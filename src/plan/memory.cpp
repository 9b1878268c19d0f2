#include "plan/memory.h"

#include <array>

#include "base/format.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kHalf = 2;
constexpr std::int64_t kIndex = 8;

/// What a tensor has one element for.
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

/// Bytes of an element, in all copies of it: in FP32, and under autocast.
struct Rule {
  const char* module;
  const char* what;
  Unit unit;
  std::int64_t fp32;
  std::int64_t half;
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
    Rule{"attn/final matmul", "probabilities", Unit::kPair, kFp32, kHalf},
    Rule{"attn/final matmul", "values", Unit::kWidth, kFp32, kHalf},
    Rule{"attn/output_proj", "input", Unit::kWidth, kFp32, kHalf},
    Rule{"ln2", "residual stream", Unit::kWidth, kFp32, kFp32},
    Rule{"ln2", "1/rms", Unit::kToken, kFp32, kFp32},
    Rule{"ln2", "x / rms", Unit::kWidth, kFp32, kFp32},
    Rule{"ffn/w1, w3", "input", Unit::kWidth, kFp32, 2 * kHalf},
    Rule{"ffn/silu", "W1 x", Unit::kInner, kFp32, kHalf},
    Rule{"ffn/silu", "sigmoid", Unit::kInner, kFp32, kHalf},
    Rule{"ffn", "silu(W1 x)", Unit::kInner, kFp32, kHalf},
    Rule{"ffn", "W3 x", Unit::kInner, kFp32, kHalf},
    Rule{"ffn/w2", "input", Unit::kInner, kFp32, kHalf}};

bool has_loss(const CellSpec& spec) {
  return spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep;
}

/// The final norm and the output layer; the logits live as long as the step does.
std::int64_t kept_by_head(const CellSpec& spec, std::int64_t tokens) {
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const std::int64_t width = under_autocast(spec) ? kHalf : kFp32;
  return tokens * (2 * kFp32 * shape.d_model + width * shape.d_model + kFp32) +
         tokens * width * shape.vocab;
}

std::int64_t kept_by_loss(const CellSpec& spec, std::int64_t tokens) {
  return tokens * (kFp32 * spec.model.value_or(ModelShape{}).vocab + kFp32 + kIndex);
}

std::int64_t tokens_of(const CellSpec& spec) {
  return spec.batch.value_or(0) * spec.context.value_or(0);
}

}  // namespace

std::vector<KeptTensor> kept_by_block(const CellSpec& spec) {
  std::vector<KeptTensor> kept;
  for (const Rule& rule : kRules) {
    const auto [formula, count] = elements(rule.unit, spec);
    const std::int64_t width = under_autocast(spec) ? rule.half : rule.fp32;
    kept.push_back({rule.module, rule.what, (width == 1 ? "" : format_count(width) + " ") + formula,
                    width * count});
  }
  return kept;
}

std::int64_t kept_block_bytes(const CellSpec& spec) {
  std::int64_t sum = 0;
  for (const KeptTensor& tensor : kept_by_block(spec)) sum += tensor.bytes;
  return sum;
}

std::int64_t kept_bytes(const CellSpec& spec) {
  if (!spec.model || !spec.mode || spec.mode == Mode::kInference) return 0;
  const std::int64_t tokens = tokens_of(spec);
  return spec.model->layers * kept_block_bytes(spec) + kept_by_head(spec, tokens) +
         (has_loss(spec) ? kept_by_loss(spec, tokens) : 0);
}

std::int64_t weight_copy_bytes(const CellSpec& spec) {
  if (!spec.model || !under_autocast(spec)) return 0;
  const ModelShape& shape = *spec.model;
  const std::int64_t d = shape.d_model;
  return kHalf * (shape.layers * (4 * d * d + 3 * d * shape.d_ff) + shape.vocab * d);
}

std::int64_t parameter_bytes(const ModelShape& shape) { return kFp32 * parameter_count(shape); }

std::int64_t moment_bytes(const ModelShape& shape) { return 2 * parameter_bytes(shape); }

std::int64_t block_gradient_bytes(const ModelShape& shape) {
  const std::int64_t d = shape.d_model;
  return kFp32 * (4 * d * d + 3 * d * shape.d_ff + 2 * d);
}

std::int64_t residual_bytes(const CellSpec& spec) {
  return kFp32 * elements(Unit::kWidth, spec).count;
}

std::int64_t score_bytes(const CellSpec& spec) {
  return (under_autocast(spec) ? kHalf : kFp32) * elements(Unit::kPair, spec).count;
}

ExpectedPeak expected_peak(const CellSpec& spec) {
  const ModelShape shape = spec.model.value_or(ModelShape{});
  ExpectedPeak before;
  before.parameters = parameter_bytes(shape);
  if (spec.mode == Mode::kTrainStep) before.moments = moment_bytes(shape);
  ExpectedPeak after = before;
  before.activations = kept_bytes(spec);
  before.weight_copies = weight_copy_bytes(spec);
  if (has_loss(spec)) after.gradients = parameter_bytes(shape);
  return before.total() >= after.total() ? before : after;
}

std::string size_formula(const CellSpec& spec, std::int64_t bytes) {
  const ModelShape shape = spec.model.value_or(ModelShape{});
  const std::int64_t tokens = tokens_of(spec);
  const std::array<std::pair<const char*, std::int64_t>, 4> tensors{
      {{"B · h · S²", elements(Unit::kPair, spec).count},
       {"B · S · d_ff", tokens * shape.d_ff},
       {"B · S · V", tokens * shape.vocab},
       {"B · S · d", tokens * shape.d_model}}};
  // FP32 first: a tensor in 16 bits is rarer, and only autocast makes one.
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
