// Declares the presenters of parts (b) and (c) of the benchmarking problem, and shared helpers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/section.h"
#include "document/view.h"
#include "experiments/common/phases.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups);
PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups);

/// Names a step of the mode: "forward step", "training step".
std::string step_words(Mode mode);

/// Makes the datasets "events" and "conditions" for the details of part (b); none for a CPU.
std::vector<Dataset> step_datasets(const RunView& view, const std::vector<TimingGroup>& groups);

/// Returns the warnings of the timed steps; each line begins with the name of its row.
std::vector<std::string> step_warnings(const std::vector<TimingGroup>& groups);

/// Returns nothing if the denominator is not positive or the quotient is not finite.
std::optional<double> quotient(double numerator, double denominator);

}  // namespace labreport::benchmarking_script
