#include "experiments/chosen_problems.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "experiments/catalog.h"
#include "experiments/common/given_flags.h"

namespace labreport {
namespace {

/// As the command writes them.
std::vector<std::string> asked_for(const Session& session) {
  std::vector<std::string> selectors;
  for (const char* flag : {"--problems", "--only"}) {
    for (const std::string& value : given_values(session, flag)) {
      std::ranges::copy(split(value, ','), std::back_inserter(selectors));
    }
  }
  const bool attention = !given_values(session, "--attention").empty();
  if (selectors.empty() && attention) selectors.emplace_back("flash_benchmarking");
  return selectors;
}

bool is_half_or_all(const std::vector<std::string>& selectors) {
  return selectors.empty() ||
         (selectors.size() == 1 && (selectors[0] == "all" || selectors[0] == "profiling"));
}

void choose(std::set<std::string>& chosen, const std::string& selector) {
  if (selector == "profiling") {
    std::ranges::copy(profiling_problems(), std::inserter(chosen, chosen.end()));
  } else {
    chosen.insert(own_selector(selector));
  }
}

}  // namespace

std::vector<std::string> profiling_problems() {
  std::vector<std::string> names;
  for (const Experiment& experiment : catalog()) {
    if (experiment.profiling) names.emplace_back(experiment.name);
  }
  return names;
}

std::optional<std::set<std::string>> chosen_problems(const Run& run) {
  std::set<std::string> chosen;
  for (const Session& session : run.sessions) {
    const std::vector<std::string> selectors = asked_for(session);
    const bool goes_on = &session != &run.sessions.front() && is_given(session, "--resume");
    if (selectors.empty() && goes_on) continue;
    if (is_half_or_all(selectors)) return std::nullopt;
    try {
      for (const std::string& selector : selectors) choose(chosen, selector);
    } catch (const InputError&) {  // a problem that this version does not know
      return std::nullopt;
    }
  }
  return chosen.empty() ? std::nullopt : std::optional(std::move(chosen));
}

}  // namespace labreport
