// The verbs, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace labreport {

/// What the command line came to.
struct Invocation {
  std::vector<std::string> argv;
  std::function<ExitStatus()> call;  ///< The chosen verb with its flags.
};

void add_report(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_import(CLI::App& app, Invocation& invocation);
void add_render(CLI::App& app, Invocation& invocation);
void add_notes(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_advise(CLI::App& app, Invocation& invocation);
void add_noise(CLI::App& app, Invocation& invocation);
void add_list(CLI::App& app, Invocation& invocation);
void add_diff(CLI::App& app, Invocation& invocation);
void add_merge(CLI::App& app, Invocation& invocation);
void add_slurm(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);

}  // namespace labreport
