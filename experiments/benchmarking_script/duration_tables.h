// The tables of part (b), and what its drawer holds.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/view.h"
#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// Forward, backward and optimizer by the host clock: the answer's table.
TableView phases_table(const std::vector<TimingGroup>& groups);

/// Whole steps of each mode, synchronised once at the end.
TableView modes_table(const std::vector<TimingGroup>& groups);

/// What the figure draws: a row for each size and phase, its steps side by side.
TableView samples_table(const std::vector<TimingGroup>& groups);

// The drawer.
TableView quartiles_table(const std::vector<TimingGroup>& groups);
TableView events_table(const std::vector<TimingGroup>& groups);
TableView conditions_table(const std::vector<TimingGroup>& groups);
Figure spread_figure(const std::vector<TimingGroup>& groups);
std::vector<std::string> warnings(const std::vector<TimingGroup>& groups);

}  // namespace labreport::benchmarking_script
