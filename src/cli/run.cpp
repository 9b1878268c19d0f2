// labreport run measures and prints the run's folder.
#include <fmt/format.h>

#include "cli/measure.h"
#include "cli/verbs.h"

namespace labreport {

void add_run(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<RunFlags>(
      app, invocation, "run", "measure without rendering; prints the run's folder",
      [&invocation](const RunFlags& given) {
        const MeasureResult measured = measure(given, given.out, invocation.argv);
        if (!measured.folder.empty()) fmt::print("{}\n", measured.folder.string());
        measured.say_last_words();
        return measured.status;
      });
  flags->out = "site/runs";
  add_run_flags(*verb, *flags, "folder of runs (site/runs), or with --resume one run's folder");
}

}  // namespace labreport
