// Everything that a run's pages depend on, as one key.
#pragma once

#include <string>

#include "cli/rendering.h"
#include "results/run_store.h"

namespace labreport {

/// Equal keys, equal pages. `chart_tool`: `ChartProcess::identity`.
std::string render_key(const RunStore& run, const RenderOptions& options,
                       const std::string& chart_tool);

}  // namespace labreport
