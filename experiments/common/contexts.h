// Finds which steps fit, and at which contexts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/planner.h"

namespace labreport {

/// The longest mode that the user wants; nothing if there is none.
std::optional<Mode> fullest_mode(const PlanInput& input);

/// True if the step did not fit the memory in `so_far`. Crashed steps do not count, because they
/// may succeed when the run is resumed.
bool without_room(const Run& so_far, const CellSpec& spec);

/// Contexts 256, 512, 1024, …; each is tried after the one before it is known to fit.
struct Doubling {
  std::vector<std::int64_t> tried;
  bool ended = false;  ///< True if the last of `tried` failed, for whatever reason.

  /// The three longest contexts of `tried` (or fewer), without one that failed.
  std::vector<std::int64_t> longest() const;
};

/// Finds the contexts of one network's `step`, whose own context is ignored.
Doubling doubled(const Run& so_far, CellSpec step);

}  // namespace labreport
