#include "plan/arithmetic.h"

#include "base/format.h"
#include "plan/editions.h"
#include "plan/sharding.h"
#include "results/shipped.h"

namespace labreport {
namespace {

constexpr std::int64_t kFp32Bytes = 4;

/// Returns the FP32 copies that a mode holds: parameters, gradients and two moments.
std::int64_t parameter_copies(const CellSpec& spec) {
  if (spec.mode == Mode::kTrainStep) return 4;
  return has_backward(spec) ? 2 : 1;
}

bool is_users(const CellSpec& spec) { return !spec.implementation.empty() && !is_shipped(spec); }

}  // namespace

bool has_backward(const CellSpec& spec) {
  return spec.mode == Mode::kForwardBackward || spec.mode == Mode::kTrainStep;
}

double attention_flops(const CellSpec& spec, std::int64_t length) {
  const AttentionSweep sweep = spec.attention.value_or(AttentionSweep{});
  const auto tokens = static_cast<double>(length);
  return 2 * static_cast<double>(spec.batch.value_or(1) * sweep.heads * sweep.head_dim) * tokens *
         tokens;
}

double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  const auto d = static_cast<double>(shape.d_model);
  const auto tokens = static_cast<double>(batch * context);
  const double block_weights = 4 * d * d + 3 * d * static_cast<double>(shape.d_ff);
  const double attention = 4 * tokens * static_cast<double>(context) * d;
  return static_cast<double>(shape.layers) * (2 * tokens * block_weights + attention) +
         2 * tokens * d * static_cast<double>(shape.vocab);
}

std::optional<std::int64_t> counted_parameters(const CellSpec& spec) {
  if (!spec.model || is_users(spec)) return std::nullopt;
  return parameter_count(*spec.model);
}

std::optional<double> step_flops(const CellSpec& spec) {
  if (is_users(spec) || !spec.model || !spec.batch || !spec.context) {
    return std::nullopt;
  }
  const double forward = forward_flops(*spec.model, *spec.batch, *spec.context);
  return has_backward(spec) ? 3 * forward : forward;
}

std::optional<std::int64_t> resident_bytes(const CellSpec& spec) {
  const auto parameters = counted_parameters(spec);
  if (!parameters) return std::nullopt;
  if (spec.sharding) return held_bytes(spec).total();
  return kFp32Bytes * *parameters * parameter_copies(spec);
}

std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes) {
  const auto needed = resident_bytes(spec);
  if (!needed || *needed <= device_bytes) return std::nullopt;
  const std::int64_t copies = parameter_copies(spec);
  const std::string what = copies == 4   ? "parameters, gradients and AdamW states"
                           : copies == 2 ? "parameters and gradients"
                                         : "parameters";
  return format_bytes(static_cast<double>(*needed)) + " of " + what + " do not fit " +
         format_bytes(static_cast<double>(device_bytes));
}

}  // namespace labreport
