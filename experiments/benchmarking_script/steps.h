// The details of part (b) hold the evidence of timed steps, mode by mode.
#pragma once

#include <optional>
#include <vector>

#include "document/dataset.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// Datasets "events" and "conditions"; a CPU has none.
std::vector<Dataset> step_datasets(const RunView& view, const std::vector<TimingGroup>& groups);

/// The warnings that the steps gave while they ran.
std::vector<std::string> step_warnings(const std::vector<TimingGroup>& groups);

/// Divides; returns nothing if the quotient is not a number.
std::optional<double> quotient(double above, double below);

}  // namespace labreport::benchmarking_script
