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

/// One step of `mode`: forward; plus twice that for the backward pass.
double step_flops(const CellSpec& spec);

/// Bytes held whatever happens: FP32 parameters, gradients and two AdamW moments, by mode.
std::int64_t resident_bytes(const CellSpec& spec);

/// Seconds of one launch on a device that sustains `flops_per_second` in the cell's precision,
/// process start included.
double estimated_seconds(const CellSpec& spec, double flops_per_second);

/// The arithmetic in words when parameters and states alone exceed the device, else nothing:
/// "51.3 GiB of parameters, gradients and AdamW states do not fit 24.0 GiB". Of other networks than
/// labreport's own nothing is known.
std::optional<std::string> cannot_fit(const CellSpec& spec, std::int64_t device_bytes);

}  // namespace labreport
