// Declares the verbs, which have one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace labreport {

struct Invocation {
  std::vector<std::string> argv;
  std::function<ExitStatus()> call;  ///< Runs the chosen verb with its flags.
};

/// Adds a verb. If the user chooses it, `invocation.call` runs `call` with the returned flags. The
/// caller adds the options that set these flags.
template <typename Flags, typename Call>
std::pair<CLI::App*, Flags*> add_verb(CLI::App& app, Invocation& invocation, const char* name,
                                      const char* description, Call call) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand(name, description);
  verb->callback(
      [flags, call, &invocation] { invocation.call = [flags, call] { return call(*flags); }; });
  return {verb, flags.get()};
}

using AddVerb = void(CLI::App& app, Invocation& invocation);
AddVerb add_report, add_run, add_import, add_render, add_notes, add_check, add_advise, add_list,
    add_diff, add_query, add_fits, add_drop, add_submit, add_merge, add_slurm, add_doctor;

}  // namespace labreport
