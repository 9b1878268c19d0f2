#include "experiments/chosen_problems.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "experiments/catalog.h"

namespace labreport {
std::vector<std::string> profiling_problems() {
  std::vector<std::string> names;
  for (const Experiment& experiment : catalog()) {
    if (experiment.in_profiling_half) names.emplace_back(experiment.name);
  }
  return names;
}

std::vector<std::string> requested_problems(const Request& request) {
  if (request.problems) return split(*request.problems, ',');
  if (request.only) return split(*request.only, ',');
  return {request.attention ? "flash_benchmarking" : "profiling"};
}

std::optional<std::set<std::string>> chosen_problems(const Run& run) {
  if (run.sessions.empty()) return std::nullopt;
  const std::vector<std::string> selectors = requested_problems(run.sessions.front().request);
  if (selectors.size() == 1 && (selectors[0] == "all" || selectors[0] == "profiling")) {
    return std::nullopt;
  }
  std::set<std::string> chosen;
  try {
    for (const std::string& selector : selectors) {
      if (selector == "profiling") {
        std::ranges::copy(profiling_problems(), std::inserter(chosen, chosen.end()));
      } else {
        chosen.insert(canonical_selector(selector));
      }
    }
  } catch (const InputError&) {
    return std::nullopt;  // This version does not know one of the problems.
  }
  return chosen;
}

}  // namespace labreport
