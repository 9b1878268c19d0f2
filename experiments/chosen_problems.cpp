#include "experiments/chosen_problems.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/catalog.h"
#include "experiments/users_code.h"

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
  const CodeFlag* code = given_code(request);
  if (code != nullptr && !code->problem.empty()) return {std::string(code->problem)};
  return {request.ranks ? "data_parallel" : "profiling"};
}

std::optional<std::set<std::string>> chosen_problems(const Run& run) {
  if (run.sessions.empty()) return std::nullopt;
  std::vector<std::string> selectors;
  for (const Session& session : run.sessions)
    std::ranges::move(requested_problems(session.request), std::back_inserter(selectors));
  selectors = distinct(selectors);
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

bool measures_profiling(const Run& run) {
  const auto chosen = chosen_problems(run);
  return !chosen || std::ranges::any_of(profiling_problems(), [&](const std::string& problem) {
    return std::ranges::any_of(*chosen, [&](const std::string& name) {
      return name.substr(0, name.find('.')) == problem;
    });
  });
}

}  // namespace labreport
