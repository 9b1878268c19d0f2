// First-principles arithmetic of the network: the operations and bytes that a cell requires.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/cell.h"

namespace labreport {

/// Returns the floating-point operations of one forward pass (a multiply-add counts as two): linear
/// layers 2·tokens·weights, attention 2·2·B·S²·d for each layer (all S² pairs, because the eager
/// network computes the masked half too). Elementwise work is not counted.
double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context);

/// True if the mode runs loss and backward after the forward pass.
bool has_backward(const CellSpec& spec);

/// The following functions count labreport's own network only. They return nothing for other
/// networks and for cells without one.

std::optional<std::int64_t> counted_parameters(const CellSpec& spec);

/// Returns the operations of one step of `mode`: forward, plus twice that for backward.
std::optional<double> step_flops(const CellSpec& spec);

/// Returns the operations of one causal attention's forward pass by the convention of papers:
/// 4·B·H·S²·d, halved because the upper half of the scores is masked. Backward counts 2.5 times
/// that, both together 3.5 times.
double attention_flops(const CellSpec& spec, std::int64_t length);

/// Returns the bytes that a step holds throughout: FP32 parameters, gradients and two AdamW
/// moments, by mode.
std::optional<std::int64_t> resident_bytes(const CellSpec& spec);

/// Explains in words that parameters and states alone exceed the device: "51.3 GiB of parameters,
/// gradients and AdamW states do not fit 24.0 GiB". Empty if they fit.
std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes);

}  // namespace labreport
