// From flags to a run on disk: what `run` and `report` have in common.
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

/// Whether every cell of the run was measured; what stays unmeasured is told.
ExitStatus status_of(const Run& run);

struct Measured {
  ExitStatus status = ExitStatus::kDone;  ///< kInterrupted: there is nothing to render yet.
  std::filesystem::path folder;           ///< Empty after a dry run.
  std::string failures = {};              ///< "14 of 18 measurements failed"; to be said last.

  /// Says `failures` behind all that was printed.
  void tell() const;
};

/// Measures into a new folder under `root`, or goes on with the newest run there that was
/// interrupted, by the flags that it was begun with; `root` may be that run's own folder. A shard
/// that has no run there is begun, and one that is whole stays. Progress goes to stderr, a dry
/// run's table to stdout.
Measured measure(const RunFlags& flags, const std::filesystem::path& root,
                 const std::vector<std::string>& argv);

}  // namespace labreport
