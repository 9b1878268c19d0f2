// The evidence of timed steps, mode by mode: what the details hold.
#pragma once

#include <optional>
#include <vector>

#include "document/dataset.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// Datasets "events" and "conditions"; none of a CPU.
std::vector<Dataset> step_datasets(const RunView& view, const std::vector<TimingGroup>& groups);

/// What was said of the steps while they ran, mode by mode.
std::vector<std::string> step_warnings(const std::vector<TimingGroup>& groups);

/// Nothing where that is no number.
std::optional<double> quotient(double above, double below);

}  // namespace labreport::benchmarking_script
