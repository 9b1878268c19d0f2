// Finds the run that a word of the command names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "publish/write_up.h"
#include "results/run.h"

namespace labreport {

struct ChosenRun {
  std::string name;              ///< Its folder, or the file that holds it.
  std::filesystem::path folder;  ///< Empty for a file outside of a run's folder.
  Run run;
};

/// A verb's preference among the runs of a GPU that the command names.
struct RunPreference {
  bool (*is_met)(const Run& run);
  const char* reason_if_unmet;  ///< "without a ladder"
};

inline constexpr RunPreference kAnyRun{[](const Run&) { return true; }, ""};

/// Prefers runs that time labreport's network and no model of the user's.
extern const RunPreference kPreferLabreportsNetwork;

/// `word` is one of
/// - a run's folder, with its launches that are not merged yet, or a file that holds a run;
/// - a GPU's name or slug, or a part of it that only one GPU has; chooses the GPU's newest run that
///   meets `preference`, and an imported one only if it has no measured one;
/// - `latest`, the newest measured run, or `previous`, the one before it of its GPU and edition.
///
/// A GPU's name, `latest` and `previous` choose among the runs below `root`, in `edition` unless it
/// is empty. They avoid runs that mostly failed, and print the choice on stderr if there were
/// several. Throws `InputError` if there is no such run or the name may be several GPUs.
ChosenRun choose_run(const std::string& word, const std::string& edition,
                     const std::filesystem::path& root, const RunPreference& preference = kAnyRun);

/// Chooses runs to be read side by side, one for each word, as `choose_run` does. But GPUs get runs
/// of one edition, because networks differ between editions: that of the other words' runs, or else
/// one that all GPUs have, of which they have preferred runs and the newest.
std::vector<ChosenRun> choose_runs(const std::vector<std::string>& words,
                                   const std::string& edition, const std::filesystem::path& root,
                                   const RunPreference& preference);

/// Returns the folder of the run. If `word` is a path, the run is not read.
std::filesystem::path choose_folder(const std::string& word, const std::filesystem::path& root,
                                    const std::string& edition = "");

/// Chooses the runs of a write-up: those that the words name, else among the user's below `root`.
/// A word may name several runs with commas between them. Prints on stderr what was not taken.
WriteUp write_up_of(const std::vector<std::string>& words, const std::string& edition,
                    const std::filesystem::path& root);

}  // namespace labreport
