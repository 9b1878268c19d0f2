// Presents parts (b) and (c) of the benchmarking problem, and declares what the parts share.
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

/// The modes whose warm-up windows part (c) of the edition shows.
bool is_warmup_mode(const Edition& edition, Mode mode);

/// The profiled first forward+backward step of a process; null if this network has none.
const Launch* profiled_first_step(const RunView& view, const CellSpec& network);

/// The datasets "events" and "conditions" in the details of part (b); none for a CPU.
std::vector<Dataset> step_datasets(const RunView& view, const std::vector<TimingGroup>& groups);

/// The warnings of the timed steps, each behind the name of its row.
std::vector<std::string> step_warnings(const std::vector<TimingGroup>& groups);

/// Divides; returns nothing if the quotient is not finite or `below` is not positive.
std::optional<double> quotient(double above, double below);

}  // namespace labreport::benchmarking_script
