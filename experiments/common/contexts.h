// Finds which steps fit, and at which contexts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/planner.h"

namespace labreport {

/// The longest step that the user wants.
std::optional<Mode> fullest_mode(const PlanInput& input);

/// True if the step ran out of memory in `so_far`. A crashed step may run when the run is resumed.
bool without_room(const Run& so_far, const CellSpec& spec);

/// Contexts of powers of two from 256 on, each tried once the one before is known to fit.
struct Doubling {
  std::vector<std::int64_t> tried;
  bool ended = false;  ///< True if the last of `tried` did not run.

  /// The three longest contexts that fit, or fewer.
  std::vector<std::int64_t> longest() const;
};

/// `step` is any network's step; its context is replaced.
Doubling doubled(const Run& so_far, CellSpec step);

}  // namespace labreport
