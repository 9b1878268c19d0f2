// Plans cells of labreport's network written as a PyTorch module.
#pragma once

#include "plan/planner.h"
#include "results/shipped.h"

namespace labreport {

/// A training step of `variant` at the edition's reference context. It is profiled after the timed
/// steps, unless the caller sets `kind` to kTiming. The caller also sets `precision`.
CellSpec shipped_cell(const PlanInput& input, const Axes& axes, const Size& size,
                      const ShippedVariant& variant);

/// The sizes that the user named; else the three smallest and the largest of those with at most
/// 4 · 10⁹ parameters, whose training fits in 80 GB.
std::vector<Size> compared_sizes(const PlanInput& input);

/// The last rung of a ladder: network and loss are compiled and replayed as CUDA graphs, with
/// `scaled_dot_product_attention` and fused AdamW.
inline constexpr ShippedVariant kFastest{
    .compiled = true, .loss = true, .cuda_graphs = true, .sdpa = true, .fused_adamw = true};

}  // namespace labreport
