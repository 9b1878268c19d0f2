// Everything that a run's pages depend on, as one key.
#pragma once

#include <string>

#include "publish/rendering.h"
#include "results/run_store.h"

namespace labreport {

/// Equal keys, equal pages. `noted`: the author's folder of notes belongs to this run.
/// `chart_tool`: `ChartProcess::identity`.
std::string render_key(const RunStore& run, bool noted, const RenderOptions& options,
                       const std::string& chart_tool);

}  // namespace labreport
