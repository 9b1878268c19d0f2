// First-principles arithmetic of the network: what a cell must compute and hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/cell.h"

namespace labreport {

/// Floating-point operations of one forward pass (a multiply-add counts two): linears
/// 2·tokens·weights, attention 2·2·B·S²·d a layer (all S² pairs: the eager network computes the
/// masked half too). Elementwise work is not counted.
double forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context);

/// The mode runs loss and backward after the forward pass.
bool has_backward(const CellSpec& spec);

/// What follows is of cells that measure labreport's own network: what another computes and holds
/// nobody has counted, so there is nothing for it, nor for a cell without a network.

std::optional<std::int64_t> counted_parameters(const CellSpec& spec);

/// One step of `mode`: forward; plus twice that for the backward pass.
std::optional<double> step_flops(const CellSpec& spec);

/// One causal attention's forward pass by the convention of papers: 4·B·H·S²·d, halved because the
/// upper half of the scores is masked. Backward counts 2.5 times that, both 3.5 times.
double attention_flops(const CellSpec& spec, std::int64_t length);

/// Bytes held whatever happens: FP32 parameters, gradients and two AdamW moments, by mode.
std::optional<std::int64_t> resident_bytes(const CellSpec& spec);

/// The arithmetic in words when parameters and states alone exceed the device, else nothing:
/// "51.3 GiB of parameters, gradients and AdamW states do not fit 24.0 GiB"
std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes);

}  // namespace labreport
