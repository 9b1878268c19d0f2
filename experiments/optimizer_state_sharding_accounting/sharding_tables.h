// The tables about sharded training that two problems share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "experiments/optimizer_state_sharding_accounting/schemes.h"

namespace labreport::optimizer_state_sharding_accounting {

inline constexpr Notation kThree{Notation::kSignificant, 3};

/// The dataset "points" has a row for each scheme, step and point, or one row with the reason for a
/// scheme without numbers. The highest peak determines the unit of bytes, also of "stacks".
Dataset points_data(const std::vector<TrainedNetwork>& networks);

/// The dataset "stacks", for figures, splits the peak at each point of a later step by use.
Dataset stacks_data(const std::vector<TrainedNetwork>& networks);

/// The dataset "times" has a row for each scheme, with the step and the medians of its phases.
Dataset times_data(const std::vector<TrainedNetwork>& networks);

/// Sets the facts about how the schemes were measured: ranks, batch, warm-up and steps.
void set_conditions(Facts& facts, const RunView& view, const std::vector<TrainedNetwork>& networks);

/// Lists as "apart" the networks whose losses with `sharding` and without any differ by a larger
/// share than `tolerance`. If `half_tolerance` is given, it applies under 16-bit autocast, where
/// only the losses before and after the first update are compared: later ones amplify rounding.
void list_diverging_losses(Facts& facts, const std::vector<TrainedNetwork>& networks,
                           Sharding sharding, double tolerance,
                           std::optional<double> half_tolerance = {});

}  // namespace labreport::optimizer_state_sharding_accounting
