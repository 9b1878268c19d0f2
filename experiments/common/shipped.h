// Plans cells of the PyTorch module that ships with labreport: its network in Python.
#pragma once

#include "plan/planner.h"
#include "results/shipped_variant.h"

namespace labreport {

/// Returns a training step of `variant` at the first context of `axes`. A step is profiled after
/// the timed ones, unless the caller sets `kind` to kTiming. The caller also sets `precision`.
CellSpec shipped_cell(const PlanInput& input, const Axes& axes, const Size& size,
                      const ShippedVariant& variant);

/// Returns the sizes that the user named, else all with at most 4 · 10⁹ parameters, whose training
/// fits in 80 GB.
std::vector<Size> compared_sizes(const PlanInput& input);

/// The variant on the last rung of a ladder: network and loss are compiled and replayed as CUDA
/// graphs, with `scaled_dot_product_attention` and fused AdamW.
inline constexpr ShippedVariant kFastest{
    .compiled = true, .loss = true, .cuda_graphs = true, .sdpa = true, .fused_adamw = true};

}  // namespace labreport
