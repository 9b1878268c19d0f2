// Which run a word means.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "results/run.h"

namespace labreport {

/// `named` is a run's folder, where launches not yet merged are read too, or a run.json. Throws
/// `InputError`.
Run load_run(const std::string& named);

struct ChosenRun {
  std::string name;              ///< As a command takes it.
  std::filesystem::path folder;  ///< Empty for a file that is no run's own.
  Run run;
};

/// Whether the run times labreport's network alone.
bool times_labreports_network(const Run& run);

/// `word` is a run's folder, a file that holds a run, a GPU's name or its slug (whole, or a part
/// that only one GPU has: its latest run, measured rather than imported, of labreport's network
/// rather than of a user's model), `latest` of the measured runs, or `previous`: the one before the
/// latest of its edition. The last three look among the runs below `root`, of `edition` where that
/// is not empty. Throws `InputError` where there is none or more than one to choose from, naming
/// them.
///
/// `is_wanted` says which of a GPU's runs are preferred, in place of those of labreport's network.
ChosenRun choose_run(const std::string& word, const std::string& edition,
                     const std::filesystem::path& root,
                     const std::function<bool(const Run&)>& is_wanted = times_labreports_network);

}  // namespace labreport
