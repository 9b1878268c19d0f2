// Measures a run to disk from flags, for `run` and `report`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/measure_flags.h"
#include "orchestrate/new_session.h"

namespace labreport {

struct RunFlags : Request {
  std::string out;
  bool resume = false;
  bool dry_run = false;
  bool keep_host = false;  ///< The machine's name, and paths with the user's, are recorded.
};

/// All flags of `run`; `out_words` describes --out, whose default is `flags.out`.
void add_run_flags(CLI::App& verb, RunFlags& flags, const std::string& out_words);

/// Returns kIncomplete if a cell failed or was not measured, and prints how many were not measured.
ExitStatus status_of(const Run& run);

struct Measured {
  ExitStatus status = ExitStatus::kDone;  ///< kInterrupted if a signal ended the run.
  std::filesystem::path folder;           ///< Empty if it holds nothing to render.
  std::string failures = {};              ///< "4 of 18 measurements succeeded …"

  /// Prints `failures` on stderr, after all that was printed on stdout.
  void say_failures() const;
};

/// Measures into a new folder under `root`. With --resume, continues the run in `root`, else the
/// newest interrupted run below it, with the flags that the run was begun with. With --shard, too,
/// a shard without a run is begun, and a complete one is left as it is. Progress goes to stderr, a
/// dry run's table to stdout.
Measured measure(const RunFlags& flags, const std::filesystem::path& root,
                 const std::vector<std::string>& argv);

}  // namespace labreport
