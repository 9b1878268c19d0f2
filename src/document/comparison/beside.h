// The section of a report whose run measured labreport's network beside the user's model.
#pragma once

#include <optional>

#include "document/document.h"
#include "results/run.h"

namespace labreport {

/// By the same comparison as `labreport diff` of two runs. Nothing where no cell matches.
std::optional<Section> beside_section(const Run& run);

}  // namespace labreport
