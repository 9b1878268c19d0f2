// Calculates the operations and the bytes that a cell requires.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/cell.h"
#include "results/outcome.h"

namespace labreport {

/// Returns the floating-point operations of one forward pass; a multiply-add counts as two. Linear
/// layers need 2·tokens·weights. Attention needs 4·B·S²·d in each layer, because the eager network
/// also computes the masked half of the S² pairs. Elementwise operations are not counted.
double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context);

/// True if the mode runs loss and backward after the forward pass.
bool has_backward(const CellSpec& spec);

/// Returns the floating-point operations of the forward pass of the cell's causal attention over
/// `length` tokens: 4·B·H·S²·d, halved because half of the scores are masked. The FlashAttention
/// papers count in this way, and count backward as 2.5 forward passes.
double attention_flops(const CellSpec& spec, std::int64_t length);

// All functions below return nothing for a user's network and for cells without a network.

/// Returns parameter_count() of the cell's network.
std::optional<std::int64_t> known_parameter_count(const CellSpec& spec);

/// Returns the floating-point operations of one step without the optimizer. Backward counts as two
/// forward passes.
std::optional<double> step_flops(const CellSpec& spec);

/// Returns the bytes that one rank holds during the whole step: FP32 parameters, gradients if the
/// mode has backward, and two AdamW moments if the mode has the optimizer. Those of the
/// leaderboard's steps are in BF16, and all ranks share them if FSDP shards them.
std::optional<std::int64_t> resident_bytes(const CellSpec& spec);

/// Returns "51.3 GiB of parameters, gradients and AdamW states do not fit 24.0 GiB" if
/// resident_bytes() or, of a rung of the leaderboard's, leaderboard::least_peak_bytes() exceeds
/// `device_bytes`; nothing if they do not or are not known.
std::optional<std::string> why_it_does_not_fit(const CellSpec& spec, std::int64_t device_bytes);

/// True for a cell that was skipped for the reason of why_it_does_not_fit().
bool is_skipped_as_too_large(const Outcome& outcome);

}  // namespace labreport
