// A few cells of a run with a few rows each.
#pragma once

#include "fuzz/dice.h"

namespace labreport::fuzz {

/// Most often cells of one kind and network, which one part of the report is made of.
nlohmann::json small_part(const nlohmann::json& recorded, Dice& dice);

}  // namespace labreport::fuzz
