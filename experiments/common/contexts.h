// Finds the modes and contexts whose steps fit the memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/planner.h"

namespace labreport {

/// Returns the mode with the most phases that the user wants; nothing if the user wants none.
std::optional<Mode> last_wanted_mode(const PlanInput& input);

/// True if `so_far` shows that the step does not fit the memory. A crashed step does not count,
/// because it may succeed when the run is resumed.
bool did_not_fit(const Run& so_far, const CellSpec& spec);

/// A search for the longest context that fits: 256, 512, 1024, …, each after the one before ran.
struct ContextSearch {
  std::vector<std::int64_t> contexts;
  bool last_failed = false;  ///< True if the step at the last context failed, for any reason.

  /// Returns up to three of the longest contexts, without the one that failed.
  std::vector<std::int64_t> longest_contexts() const;
};

/// Continues the search for `step`, whose own context is ignored, from the results in `so_far`.
ContextSearch search_contexts(const Run& so_far, CellSpec step);

}  // namespace labreport
