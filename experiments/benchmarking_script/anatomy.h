// Where the time of a process's first step goes, from a profile of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/common/timing.h"

namespace labreport::benchmarking_script {

/// A forward+backward step that was both its process's first and profiled; all in ms.
struct FirstStep {
  std::string label;
  double whole = 0;
  std::optional<double> code;        ///< Loading kernels' code.
  std::optional<double> library;     ///< Setting up the matrix library, choosing its kernels.
  std::optional<double> allocation;  ///< Asking the device for memory.
  double busy = 0;                   ///< Some kernel ran, beside the host's work.
};

/// For each of `groups` that has one, in their order.
std::vector<FirstStep> first_steps(const RunView& view, const std::vector<TimingGroup>& groups);

/// A row each; no rows without them.
TableView anatomy_table(const std::vector<FirstStep>& steps);

}  // namespace labreport::benchmarking_script
