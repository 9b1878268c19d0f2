// labreport run measures, and says where the run is.
#include <fmt/format.h>

#include "cli/measure.h"
#include "cli/verbs.h"

namespace labreport {

void add_run(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] =
      add_verb<RunFlags>(app, invocation, "run", "measure only; prints the run's folder",
                         [&invocation](const RunFlags& said) {
                           const Measured measured = measure(said, said.out, invocation.argv);
                           if (!measured.folder.empty())
                             fmt::print("{}\n", measured.folder.string());
                           measured.tell();
                           return measured.status;
                         });
  flags->out = "site/runs";
  add_run_flags(*verb, *flags, "folder for runs (site/runs); with --resume also a run's own");
}

}  // namespace labreport
