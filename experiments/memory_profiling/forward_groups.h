// The largest allocations of a forward pass, alike ones together.
#pragma once

#include <string>
#include <vector>

#include "experiments/memory_profiling/profile.h"

namespace labreport::memory_profiling {

/// Allocations of one size that one operation makes, in all layers.
struct Group {
  double bytes = 0;
  double count = 0;
  std::string module, operation, op, category, freed, layers;
};

/// One forward pass and its groups, the largest first; never empty.
struct Forward {
  const Profile* profile;
  const Step* step;
  std::vector<Group> groups;

  bool grad() const { return step->spec().mode != Mode::kInference; }
};

/// Of each profile: with `grad`, the forward where it ran, else the fullest step's, else one
/// without grad.
std::vector<Forward> forwards_of(const Profiles& profiles, bool grad);

/// Groups of the largest size, one an operation and module.
std::vector<Group> largest_of(const std::vector<Group>& groups);

}  // namespace labreport::memory_profiling
