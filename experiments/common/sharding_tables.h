// Makes the tables about sharded training that two problems share.
#pragma once

#include <optional>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "experiments/common/sharding_schemes.h"

namespace labreport::sharding {

/// Returns "points", with a row for each scheme, step and point; a scheme without numbers has one
/// row with the reason. The highest peak determines the unit of bytes.
Dataset points_data(const std::vector<TrainedNetwork>& networks);

/// The peaks of a step that a figure draws: both sides of the optimizer step, or the higher one.
enum class StackedPeaks { kAroundOptimizer, kOfStep };

/// Returns "stacks", for figures: the peaks of a later step, split by use.
Dataset stacks_data(const std::vector<TrainedNetwork>& networks, StackedPeaks peaks);

/// Returns "times", with a row for each scheme: its step's time and the medians of its phases.
Dataset times_data(const std::vector<TrainedNetwork>& networks);

/// Sets the facts about how the schemes were measured: ranks, batch, warm-up and steps.
void set_conditions(Facts& facts, const RunView& view, const std::vector<TrainedNetwork>& networks);

/// Lists as "apart" the networks whose losses with and without labreport's `sharding` differ by a
/// larger share than `tolerance`. `autocast_tolerance`, if given, applies under 16-bit autocast,
/// where only the losses before and after the first update are compared: later ones amplify
/// rounding.
void list_diverging_losses(Facts& facts, const std::vector<TrainedNetwork>& networks,
                           Sharding sharding, double tolerance,
                           std::optional<double> autocast_tolerance = {});

}  // namespace labreport::sharding
