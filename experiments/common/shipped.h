// Plans cells of labreport's network written as a PyTorch module.
#pragma once

#include "plan/planner.h"
#include "results/shipped.h"

namespace labreport {

/// A training step of that variant at the edition's reference context, profiled after the preset's
/// steps; the caller sets `precision`, and `kind` to kTiming for a cell without a profile.
CellSpec shipped_cell(const PlanInput& input, const Axes& axes, const Size& size,
                      const ShippedVariant& variant);

/// The user's sizes; else the three smallest and the largest of at most 4 · 10⁹ parameters, which
/// fits in 80 GB.
std::vector<Size> compared_sizes(const PlanInput& input);

/// The last rung of a ladder: network and loss compiled and replayed as CUDA graphs,
/// `scaled_dot_product_attention`, fused AdamW.
inline constexpr ShippedVariant kFastest{
    .compiled = true, .loss = true, .graphs = true, .sdpa = true, .fused = true};

}  // namespace labreport
