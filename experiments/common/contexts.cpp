#include "experiments/common/contexts.h"

#include <algorithm>
#include <ranges>

#include "document/view.h"
#include "experiments/common/selection.h"

namespace labreport {
namespace {

constexpr std::int64_t kShortestContext = 256;
// No GPU's memory holds the attention scores of a longer context.
constexpr std::int64_t kLongestContext = 1 << 17;
constexpr std::ptrdiff_t kMaxLongestContexts = 3;

const Outcome* outcome_of(const Run& so_far, const CellSpec& spec) {
  const Cell* cell = so_far.find(cell_id(spec));
  const Launch* launch = cell == nullptr ? nullptr : representative(*cell);
  return launch == nullptr ? nullptr : &launch->outcome;
}

}  // namespace

std::optional<Mode> last_wanted_mode(const PlanInput& input) {
  for (const Mode mode : kModes | std::views::reverse) {
    if (mode_wanted(input, mode)) return mode;
  }
  return std::nullopt;
}

bool did_not_fit(const Run& so_far, const CellSpec& spec) {
  const Outcome* outcome = outcome_of(so_far, spec);
  return outcome != nullptr && does_not_fit(*outcome);
}

std::vector<std::int64_t> ContextSearch::longest_contexts() const {
  const auto end = contexts.end() - (last_failed ? 1 : 0);
  return {end - std::min(end - contexts.begin(), kMaxLongestContexts), end};
}

ContextSearch search_contexts(const Run& so_far, CellSpec step) {
  ContextSearch search;
  for (std::int64_t context = kShortestContext; context <= kLongestContext; context *= 2) {
    search.contexts.push_back(context);
    step.context = context;
    const Outcome* outcome = outcome_of(so_far, step);
    search.last_failed = outcome != nullptr && !is_ok(*outcome);
    if (outcome == nullptr || search.last_failed) break;
  }
  return search;
}

}  // namespace labreport
