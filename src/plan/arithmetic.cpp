#include "plan/arithmetic.h"

#include "base/format.h"
#include "plan/editions.h"

namespace labreport {
namespace {

constexpr std::int64_t kFp32Bytes = 4;
constexpr double kProcessSeconds = 3.0;
constexpr std::int64_t kContextBytes = 600LL << 20;  // CUDA context and libraries' own memory

bool has_backward(const CellSpec& spec) {
  return spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep;
}

bool records_graph(const CellSpec& spec) { return spec.mode && *spec.mode != Mode::kInference; }

/// FP32 copies of the parameters that a mode holds: themselves, gradients, two moments.
std::int64_t parameter_copies(const CellSpec& spec) {
  if (spec.mode == Mode::kTrainStep) return 4;
  return has_backward(spec) ? 2 : 1;
}

/// Elements kept for backward. A block keeps, per token, ten tensors of width d (both norms' input,
/// scaled input and output; q and k rotated, v; the attention's output) and five of width d_ff
/// (W1's output, its sigmoid, their product, W3's output, W2's input), and per attention pair the
/// exponentials and the probabilities; the loss keeps three tensors of the vocabulary's width.
double kept_elements(const ModelShape& shape, double tokens, double context) {
  const auto width = static_cast<double>(10 * shape.d_model + 5 * shape.d_ff);
  const double pairs = tokens * context * static_cast<double>(shape.heads);
  return static_cast<double>(shape.layers) * (tokens * width + 2 * pairs) +
         3 * tokens * static_cast<double>(shape.vocab);
}

/// Without a graph only one block's temporaries live at a time.
double temporary_elements(const ModelShape& shape, double tokens, double context) {
  const double pairs = tokens * context * static_cast<double>(shape.heads);
  return tokens * static_cast<double>(3 * shape.d_ff + 4 * shape.d_model) + 3 * pairs;
}

double batch_tokens(const CellSpec& spec) {
  return static_cast<double>(spec.batch.value_or(1) * spec.context.value_or(1));
}

}  // namespace

double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  const auto d = static_cast<double>(shape.d_model);
  const auto tokens = static_cast<double>(batch * context);
  const double block_weights = 4 * d * d + 3 * d * static_cast<double>(shape.d_ff);
  const double attention = 4 * tokens * static_cast<double>(context) * d;
  return static_cast<double>(shape.layers) * (2 * tokens * block_weights + attention) +
         2 * tokens * d * static_cast<double>(shape.vocab);
}

double step_flops(const CellSpec& spec) {
  if (!spec.model || !spec.batch || !spec.context) return 0;
  const double forward = forward_flops(*spec.model, *spec.batch, *spec.context);
  return has_backward(spec) ? 3 * forward : forward;
}

std::int64_t resident_bytes(const CellSpec& spec) {
  if (!spec.model) return 0;
  return kFp32Bytes * parameter_count(*spec.model) * parameter_copies(spec);
}

std::int64_t estimated_peak_bytes(const CellSpec& spec) {
  if (!spec.model) return kContextBytes;
  const double tokens = batch_tokens(spec);
  const auto context = static_cast<double>(spec.context.value_or(1));
  const double elements = records_graph(spec) ? kept_elements(*spec.model, tokens, context)
                                              : temporary_elements(*spec.model, tokens, context);
  double bytes = static_cast<double>(resident_bytes(spec));
  bytes += elements * (under_autocast(spec) ? 3.0 : 4.0);  // Autocast keeps part of it in FP32.
  if (under_autocast(spec)) bytes += 2.0 * static_cast<double>(parameter_count(*spec.model));
  return static_cast<std::int64_t>(bytes);
}

double estimated_seconds(const CellSpec& spec, double flops_per_second) {
  if (spec.kind == CellKind::kLimits) return kProcessSeconds + 6;
  const double steps = static_cast<double>(spec.warmup.value_or(0) + spec.steps.value_or(1));
  const double second_set = has_backward(spec) ? static_cast<double>(spec.steps.value_or(1)) : 0;
  return kProcessSeconds + (steps + second_set + 1) * step_flops(spec) / flops_per_second;
}

std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes) {
  if (!spec.implementation.empty()) return std::nullopt;
  const std::int64_t needed = resident_bytes(spec);
  if (needed <= device_bytes) return std::nullopt;
  const std::int64_t copies = parameter_copies(spec);
  const std::string what = copies == 4   ? "parameters, gradients and AdamW states"
                           : copies == 2 ? "parameters and gradients"
                                         : "parameters";
  return format_bytes(static_cast<double>(needed)) + " of " + what + " do not fit " +
         format_bytes(static_cast<double>(device_bytes));
}

}  // namespace labreport
