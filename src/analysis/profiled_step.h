// The profile that speaks for a cell.
#pragma once

#include "results/run.h"

namespace labreport {

/// The first launch that ended well of a cell that profiled a warm step; null: none, or no cell.
const Launch* profiled_step(const Cell* cell);

}  // namespace labreport
