// The parts of the benchmarking problem and what they share.
#pragma once

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

}  // namespace labreport::benchmarking_script
