// labreport run: measure, and say where.
#include <fmt/format.h>

#include <memory>

#include "cli/measure.h"
#include "cli/shard.h"
#include "cli/verbs.h"

namespace labreport {

void add_run(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<RunFlags>();
  flags->out = "site/runs";
  CLI::App* verb = app.add_subcommand("run", "measure only; prints the run's folder");
  add_run_flags(*verb, *flags, "folder for runs (site/runs); with --resume also a run's own");
  add_shard_flags(*verb, *flags);
  verb->callback([flags, &invocation] {
    invocation.call = [flags, &invocation] {
      const Measured measured = measure(*flags, flags->out, invocation.argv);
      if (!measured.folder.empty()) fmt::print("{}\n", measured.folder.string());
      return measured.status;
    };
  });
}

}  // namespace labreport
