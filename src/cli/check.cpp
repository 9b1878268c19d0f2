// labreport check tests whether runs are well-formed and plausible.
#include <fmt/format.h>

#include "analysis/plausibility.h"
#include "base/format.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "experiments/common/datasheet_check.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

/// Prints the findings, and returns false if one of them is an error.
bool check_run(const std::string& word) {
  const ChosenRun chosen = choose_run(word, "", "site/runs");
  bool is_plausible = true;
  for (const Finding& finding : check_plausibility(chosen.run)) {
    fmt::print("{}: {}: {}\n", finding.is_error ? "error" : "warning", finding.cell_id,
               finding.text);
    is_plausible = is_plausible && !finding.is_error;
  }
  if (chosen.run.source == kSourceImported) {
    for (const std::string& line : beyond_datasheet(chosen.run)) fmt::print("warning: {}\n", line);
  }
  if (is_plausible) {
    fmt::print("{}: {}, well-formed and plausible\n", chosen.name,
               format_plural(static_cast<std::int64_t>(chosen.run.cells.size()), "cell"));
  }
  return is_plausible;
}

ExitStatus check(const std::vector<std::string>& runs) {
  if (runs.empty()) {
    throw InputError("check needs a run", "`labreport list runs` shows the runs there are");
  }
  bool is_plausible = true;
  for (const std::string& run : runs) is_plausible = check_run(run) && is_plausible;
  return is_plausible ? ExitStatus::kDone : ExitStatus::kIncomplete;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  const auto [verb, runs] = add_verb<std::vector<std::string>>(
      app, invocation, "check", "test runs against their schema and first principles", check);
  verb->add_option("runs", *runs, "RUN…: folders, files, GPUs, latest or previous");
}

}  // namespace labreport
