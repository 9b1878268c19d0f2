// Knows the network that the leaderboard of 2026 fixes: the work of its step, and the memory that
// each rung needs at least.
#pragma once

#include <cstdint>
#include <optional>

#include "results/cell.h"

namespace labreport::leaderboard {

inline constexpr ModelShape kShape{
    .d_model = 4096, .d_ff = 11008, .layers = 34, .heads = 32, .vocab = 151936};
inline constexpr std::int64_t kContext = 32768, kSequences = 2, kHandoutRanks = 2;
inline constexpr const char* kSizeName = "8B";

/// A demonstration on a CPU has this network instead.
inline constexpr ModelShape kTinyShape{
    .d_model = 64, .d_ff = 176, .layers = 2, .heads = 2, .vocab = 1000};
inline constexpr std::int64_t kTinyContext = 256;
inline constexpr const char* kTinySizeName = "tiny";

/// Returns the FLOPs of the linear layers in one rank's step, without recomputation: 6 for each
/// weight and token.
double product_flops(const CellSpec& spec);

/// Returns the FLOPs of causal attention in one rank's step: 3.5 forward passes of
/// `attention_flops`, because backward counts as 2.5.
double causal_attention_flops(const CellSpec& spec);

/// Returns the bytes that a rank holds at once while the loss is computed: weights and moments,
/// with FSDP also embedding and head as a whole, what blocks keep for backward, and the logits or
/// those of a chunk. The step's peak is higher, by workspaces and temporary tensors. Nothing for a
/// step of the user's.
std::optional<std::int64_t> least_peak_bytes(const CellSpec& spec);

}  // namespace labreport::leaderboard
