// First-principles arithmetic of the network: the operations and bytes that a cell requires.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/cell.h"

namespace labreport {

/// Returns the floating-point operations of one forward pass; a multiply-add counts as two. Linear
/// layers have 2·tokens·weights, and attention 4·B·S²·d in each layer, because the eager network
/// also computes the masked half of the S² pairs. Elementwise operations are not counted.
double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context);

/// True if the mode runs loss and backward after the forward pass.
bool has_backward(const CellSpec& spec);

// The following functions except attention_flops() count labreport's network only. They return
// nothing for a user's network and for cells without a network.

std::optional<std::int64_t> counted_parameters(const CellSpec& spec);

/// Returns the FLOPs of one step without the optimizer; backward counts as two forward passes.
std::optional<double> step_flops(const CellSpec& spec);

/// Returns the floating-point operations of one causal attention's forward pass as papers count
/// them: 4·B·H·S²·d, halved because half of the scores is masked. Backward counts as 2.5 forward
/// passes.
double attention_flops(const CellSpec& spec, std::int64_t length);

/// Returns the bytes that a rank holds from step to step: FP32 parameters, gradients if the mode
/// has backward, and two AdamW moments if it has the optimizer.
std::optional<std::int64_t> resident_bytes(const CellSpec& spec);

/// Explains that resident_bytes() exceeds `device_bytes`: "51.3 GiB of parameters, gradients and
/// AdamW states do not fit 24.0 GiB". Empty if it does not.
std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes);

}  // namespace labreport
