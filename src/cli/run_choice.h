// Resolves a word to a run.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "results/run.h"

namespace labreport {

struct ChosenRun {
  std::string name;              ///< The word of the command.
  std::filesystem::path folder;  ///< Empty for a file outside of a run's folder.
  Run run;
};

/// A verb's preference among the runs that a GPU's name may mean.
struct Need {
  bool (*met)(const Run& run);
  const char* unmet;  ///< "without a ladder"
};

inline constexpr Need kAnyRun{[](const Run&) { return true; }, ""};

/// Prefers runs that time only labreport's network.
extern const Need kLabreportsNetwork;

/// `word` is one of
/// - a run's folder, where launches not yet merged are read too, or a file that holds a run;
/// - a GPU's name or its slug, whole, or a part that only one GPU has: its newest run that meets
///   `need`, imported only if the GPU has no measured one;
/// - `latest`, the newest measured run, or `previous`, the one before it of its GPU and edition.
///
/// The last two kinds choose among the runs below `root`, in `edition` unless it is empty, avoid
/// runs that mostly failed, and say on stderr which run they chose if there were several. Throws
/// `InputError` if there is no such run or the name may be several GPUs.
ChosenRun choose_run(const std::string& word, const std::string& edition,
                     const std::filesystem::path& root, const Need& need = kAnyRun);

/// Chooses two runs to compare. Two GPUs get the newest pair of one edition if there is one,
/// because networks differ between editions; a pair is as old as its older run. One GPU gets its
/// newest run of the other run's edition.
std::pair<ChosenRun, ChosenRun> choose_pair(const std::string& a, const std::string& b,
                                            const std::string& edition,
                                            const std::filesystem::path& root, const Need& need);

/// Returns an existing run's folder without reading it, and resolves any other word.
std::filesystem::path choose_folder(const std::string& word, const std::filesystem::path& root);

}  // namespace labreport
