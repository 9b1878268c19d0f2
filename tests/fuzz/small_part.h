// Takes a few cells of a run with a few rows each.
#pragma once

#include "fuzz/dice.h"

namespace labreport::fuzz {

/// Returns a few cells, most often of one kind and network, so that they appear in one part of the
/// report.
nlohmann::json small_part(const nlohmann::json& recorded, Dice& dice);

}  // namespace labreport::fuzz
