// labreport check: whether runs are well-formed and can be true.
#include <fmt/format.h>

#include <memory>

#include "analysis/plausibility.h"
#include "base/format.h"
#include "cli/load_run.h"
#include "cli/verbs.h"

namespace labreport {
namespace {

bool check(const std::string& named) {
  const Run run = load_run(named);
  bool possible = true;
  for (const Finding& finding : check_plausibility(run)) {
    fmt::print("{}: {}: {}\n", finding.error ? "error" : "warning", finding.cell, finding.text);
    possible = possible && !finding.error;
  }
  if (possible) {
    fmt::print("{}: {}, well-formed and plausible\n", named,
               format_plural(static_cast<std::int64_t>(run.cells.size()), "cell"));
  }
  return possible;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  auto runs = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand("check", "schema and plausibility of runs");
  verb->add_option("runs", *runs, "RUN…: folders of runs, or files");
  verb->callback([runs, &invocation] {
    invocation.call = [runs] {
      if (runs->empty()) {
        throw InputError("check needs a run", "`labreport list runs` shows the runs there are");
      }
      bool possible = true;
      for (const std::string& run : *runs) possible = check(run) && possible;
      return possible ? ExitStatus::kDone : ExitStatus::kIncomplete;
    };
  });
}

}  // namespace labreport
