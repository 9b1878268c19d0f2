// Tables of ranks that train together, which several problems show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "experiments/optimizer_state_sharding_accounting/schemes.h"

namespace labreport::optimizer_state_sharding_accounting {

inline constexpr Notation kThree{Notation::kSignificant, 3};

/// "points" and "stacks" have bytes in one unit, chosen by the highest peak.
/// "points": a row for each scheme, step and point; a scheme without numbers has one, its reason.
Dataset points_data(const std::vector<TrainedNetwork>& networks);

/// "stacks": what a later step holds at each point, by part; for figures.
Dataset stacks_data(const std::vector<TrainedNetwork>& networks);

/// "times": a row for each scheme, with the step and the medians of its phases.
Dataset times_data(const std::vector<TrainedNetwork>& networks);

/// Sets ranks, batch, warm-up and steps, for the section on method.
void set_conditions(Facts& facts, const RunView& view, const std::vector<TrainedNetwork>& networks);

/// Lists as "apart" the networks whose losses differ by more than `tolerance` from those without
/// sharding. If weights are sent in 16 bits, only the first two losses are compared (before and
/// after an update), with `half_tolerance`, because later ones amplify rounding.
void list_diverging_losses(Facts& facts, const std::vector<TrainedNetwork>& networks,
                           Sharding sharding, double tolerance,
                           std::optional<double> half_tolerance = {});

}  // namespace labreport::optimizer_state_sharding_accounting
