// Measures a run as the flags of `run` and `report` say, and stores it on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/measure_flags.h"

namespace labreport {

struct RunFlags : Request {
  std::string out;
  bool resume = false;
  bool dry_run = false;
  std::optional<std::string> planned_gpu;  ///< Dry runs plan for this GPU, which may be elsewhere.
  bool keep_host = false;  ///< Records the machine's name, and paths that contain the user's name.
};

/// Adds all flags of `run`. `out_help` is the description of --out.
void add_run_flags(CLI::App& verb, RunFlags& flags, const std::string& out_help);

/// Returns `kIncomplete` if a launch failed or a cell has no launch; prints the number of such
/// cells.
ExitStatus exit_status_of(const Run& run);

struct MeasureResult {
  ExitStatus status = ExitStatus::kDone;  ///< kInterrupted if a signal ended the run.
  std::filesystem::path folder;           ///< Empty if it holds nothing to render.
  std::string failures = {};  ///< "4 of 18 measurements succeeded …"; empty if none failed.
  std::string edition = {};   ///< Says how to choose another edition; empty if this one was chosen.

  /// Prints both on stderr after flushing stdout.
  void say_last_words() const;
};

/// Measures into a new folder under `root`. With --resume, continues the run in `root`, or else the
/// newest interrupted run below it, with the flags that the run was begun with. With --resume and
/// --shard, a shard without a run is begun, and a complete one is left as it is. Progress is
/// printed on stderr, a dry run's table on stdout.
MeasureResult measure(const RunFlags& flags, const std::filesystem::path& root,
                      const std::vector<std::string>& argv);

}  // namespace labreport
