#include "experiments/common/contexts.h"

#include <algorithm>
#include <ranges>

#include "document/view.h"
#include "experiments/common/selection.h"

namespace labreport {
namespace {

constexpr std::int64_t kShortestContext = 256;
// No device holds the scores of longer sequences.
constexpr std::int64_t kLongestContext = 1 << 17;
constexpr std::ptrdiff_t kMostLongestContexts = 3;

const Outcome* outcome_of(const Run& so_far, const CellSpec& spec) {
  const Cell* cell = so_far.find(cell_id(spec));
  const Launch* launch = cell == nullptr ? nullptr : representative(*cell);
  return launch == nullptr ? nullptr : &launch->outcome;
}

}  // namespace

std::optional<Mode> longest_wanted_mode(const PlanInput& input) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (mode_wanted(input, mode)) return mode;
  }
  return std::nullopt;
}

bool did_not_fit(const Run& so_far, const CellSpec& spec) {
  const Outcome* outcome = outcome_of(so_far, spec);
  return outcome != nullptr && does_not_fit(*outcome);
}

std::vector<std::int64_t> Doubling::longest_contexts() const {
  const auto end = contexts.end() - (last_failed ? 1 : 0);
  return {end - std::min(end - contexts.begin(), kMostLongestContexts), end};
}

Doubling doubled_contexts(const Run& so_far, CellSpec step) {
  Doubling doubling;
  for (std::int64_t context = kShortestContext; context <= kLongestContext; context *= 2) {
    doubling.contexts.push_back(context);
    step.context = context;
    const Outcome* outcome = outcome_of(so_far, step);
    doubling.last_failed = outcome != nullptr && !is_ok(*outcome);
    if (outcome == nullptr || doubling.last_failed) break;
  }
  return doubling;
}

}  // namespace labreport
