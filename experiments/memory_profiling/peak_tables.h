// The tables of part (b).
#pragma once

#include "document/document.h"
#include "experiments/common/command.h"
#include "experiments/memory_profiling/byte_cells.h"
#include "experiments/memory_profiling/profile.h"

namespace labreport::memory_profiling {

/// A row a profile: inference, full step, and muted the forward with grad.
TableView peaks_table(const Profiles& rows);

/// Each peak beside the sum of its formulas, and what makes the difference.
TableView arithmetic_table(const Profiles& rows);

/// The formulas' parts of each peak.
TableView parts_table(const Profiles& rows);

/// What "the forward's peak" may mean.
TableView meanings_table(const Profiles& rows);

/// Requested, allocated, reserved; where the peak falls; what is resident before the step.
TableView allocator_table(const Profiles& rows);

/// Each category at the peak.
TableView composition_table(const Profiles& rows);

TableView formulas_table();

std::vector<NamedCell> named_cells(const std::vector<Profile>& profiles);
std::vector<std::string> warnings(const std::vector<Profile>& profiles);

}  // namespace labreport::memory_profiling
