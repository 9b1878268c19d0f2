#include "plan/arithmetic.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "base/format.h"
#include "plan/editions.h"
#include "plan/leaderboard.h"
#include "plan/sharding.h"
#include "results/leaderboard_rung.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

constexpr std::int64_t kFp32Bytes = 4, kBf16Bytes = 2;

/// Returns how many values the mode holds for each parameter: the parameter itself, its
/// gradient, and two moments.
std::int64_t values_per_parameter(const CellSpec& spec) {
  if (spec.mode == Mode::kTrainStep) return 4;
  return has_backward(spec) ? 2 : 1;
}

bool has_users_network(const CellSpec& spec) {
  return !spec.implementation.empty() && !is_shipped(spec);
}

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

std::optional<std::int64_t> known_parameter_count(const CellSpec& spec) {
  if (!spec.model || has_users_network(spec)) return std::nullopt;
  return parameter_count(*spec.model);
}

std::optional<double> step_flops(const CellSpec& spec) {
  if (has_users_network(spec) || !spec.model || !spec.batch || !spec.context) {
    return std::nullopt;
  }
  const double forward = forward_flops(*spec.model, *spec.batch, *spec.context);
  return has_backward(spec) ? 3 * forward : forward;
}

std::optional<std::int64_t> resident_bytes(const CellSpec& spec) {
  const auto parameters = known_parameter_count(spec);
  if (!parameters) return std::nullopt;
  if (spec.sharding) return held_bytes(spec).total();
  if (spec.kind == CellKind::kLeaderboard) {
    const bool is_replicated = leaderboard_rung(spec) == LeaderboardRung::kReplicated;
    return kBf16Bytes * *parameters * values_per_parameter(spec) /
           (is_replicated ? 1 : spec.ranks.value_or(Ranks{1}).count);
  }
  return kFp32Bytes * *parameters * values_per_parameter(spec);
}

namespace {

constexpr std::string_view kDoNotFit = " do not fit ";

}  // namespace

std::optional<std::string> why_it_does_not_fit(const CellSpec& spec, std::int64_t device_bytes) {
  const auto text = [&](std::int64_t needed, const std::string& tensors) {
    return fmt::format("{} of {}{}{}", format_bytes(static_cast<double>(needed)), tensors,
                       kDoNotFit, format_bytes(static_cast<double>(device_bytes)));
  };
  if (const auto least = leaderboard::least_peak_bytes(spec); least && *least > device_bytes)
    return text(*least, "weights, moments, logits and what backward needs");
  const auto needed = resident_bytes(spec);
  if (!needed || *needed <= device_bytes) return std::nullopt;
  const std::int64_t values = values_per_parameter(spec);
  const std::string tensors = values == 4   ? "parameters, gradients and AdamW states"
                              : values == 2 ? "parameters and gradients"
                                            : "parameters";
  return text(*needed, tensors);
}

bool is_skipped_as_too_large(const Outcome& outcome) {
  const auto* skipped = std::get_if<Skipped>(&outcome);
  return skipped != nullptr && skipped->reason.find(kDoNotFit) != std::string::npos;
}

}  // namespace labreport
