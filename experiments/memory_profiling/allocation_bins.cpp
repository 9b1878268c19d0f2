#include "experiments/memory_profiling/allocation_bins.h"

#include <algorithm>
#include <limits>

namespace labreport::memory_profiling {

std::size_t Bins::at(double event) const {
  const auto found = std::ranges::upper_bound(bounds, event);
  return found == bounds.begin() ? 0 : static_cast<std::size_t>(found - bounds.begin()) - 1;
}

Bins bins_of(const Timeline& timeline, const std::vector<Allocation>& allocations) {
  const double first = timeline.instants.front().event;
  const double last = timeline.instants.back().event;
  Bins bins{{first, last}, {}};
  for (const Allocation& allocation : allocations) {
    bins.bounds.push_back(std::clamp(allocation.made, first, last));
    bins.bounds.push_back(std::clamp(allocation.freed.value_or(last), first, last));
  }
  std::ranges::sort(bins.bounds);
  const auto same = std::ranges::unique(bins.bounds);
  bins.bounds.erase(same.begin(), same.end());
  bins.least.assign(std::max<std::size_t>(bins.bounds.size(), 2) - 1,
                    std::numeric_limits<double>::infinity());
  for (const Instant& instant : timeline.instants) {
    double& least = bins.least[std::min(bins.at(instant.event), bins.least.size() - 1)];
    least = std::min(least, instant.requested());
  }
  return bins;
}

}  // namespace labreport::memory_profiling
