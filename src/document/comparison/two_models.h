// Compares labreport's network with the user's model in the report of a run that measured both.
#pragma once

#include <optional>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

/// Compares the two networks of the run as `labreport diff` compares two runs. Returns nothing if
/// no cell matches.
std::optional<Section> two_models_section(const Run& run);

}  // namespace labreport
