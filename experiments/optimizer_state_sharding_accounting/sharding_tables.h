// Makes the tables about sharded training that two problems share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "experiments/optimizer_state_sharding_accounting/schemes.h"

namespace labreport::optimizer_state_sharding_accounting {

inline constexpr Notation kThree{Notation::kSignificant, 3};

/// Returns "points", with a row for each scheme, step and point, or with one row that has the reason for a
/// scheme without numbers. The highest peak of all networks determines the unit of bytes.
Dataset points_data(const std::vector<TrainedNetwork>& networks);

/// Returns "stacks", for figures, which splits by use the peak after model init and at each point of a
/// later step. Bytes have the unit of "points".
Dataset stacks_data(const std::vector<TrainedNetwork>& networks);

/// Returns "times", with a row for each scheme: its step's time and the medians of its phases.
Dataset times_data(const std::vector<TrainedNetwork>& networks);

/// Sets the facts about how the schemes were measured: ranks, batch, warm-up and steps.
void set_conditions(Facts& facts, const RunView& view, const std::vector<TrainedNetwork>& networks);

/// Lists as "apart" the networks whose losses with `sharding` differ from those without sharding by a
/// larger share than `tolerance`. Under 16-bit autocast `autocast_tolerance`, if given, replaces it: then
/// only the losses before and after the first update are compared, because later ones amplify rounding.
void list_diverging_losses(Facts& facts, const std::vector<TrainedNetwork>& networks,
                           Sharding sharding, double tolerance,
                           std::optional<double> autocast_tolerance = {});

}  // namespace labreport::optimizer_state_sharding_accounting
