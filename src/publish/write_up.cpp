#include "publish/write_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/file_errors.h"
#include "base/text.h"
#include "experiments/answered_problems.h"
#include "experiments/catalog.h"
#include "plan/editions.h"
#include "publish/rendering.h"
#include "results/run_labels.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A run from which a write-up may take problems.
struct WantedRun {
  fs::path folder;
  std::string edition;
  bool on_gpu = true;
  bool is_full = false;
  std::map<std::string, AnsweredProblem> problems = {};
};

WantedRun wanted_run(const fs::path& folder, const Run& run) {
  return {folder, run.edition, RunView(run, find_edition(run.edition)).on_gpu(),
          run.preset == kPresetFull, answered_problems(run)};
}

std::string path_words(const fs::path& run) { return run.lexically_normal().string(); }

/// One reason to take a problem from a run, and the words for it.
struct Preference {
  bool (*prefers)(const WantedRun& a, const WantedRun& b, const std::string& problem);
  const char* reason;
};

std::size_t parts_of(const WantedRun& run, const std::string& problem) {
  return run.problems.at(problem).parts;
}

constexpr Preference kPreferences[]{
    {[](const WantedRun& a, const WantedRun& b, const std::string& problem) {
       return parts_of(a, problem) > 0 && parts_of(b, problem) == 0;
     },
     "can be presented"},
    {[](const WantedRun& a, const WantedRun& b, const std::string& problem) {
       return a.problems.at(problem).measures_users_code &&
              !b.problems.at(problem).measures_users_code;
     },
     "measures your code"},
    {[](const WantedRun& a, const WantedRun& b, const std::string&) {
       return a.on_gpu && !b.on_gpu;
     },
     "ran on a GPU"},
    {[](const WantedRun& a, const WantedRun& b, const std::string&) {
       return a.is_full && !b.is_full;
     },
     "has the full preset"},
    {[](const WantedRun& a, const WantedRun& b, const std::string& problem) {
       return parts_of(a, problem) > parts_of(b, problem);
     },
     "answers more parts"},
    {[](const WantedRun& a, const WantedRun& b, const std::string& problem) {
       return a.problems.at(problem).cells > b.problems.at(problem).cells;
     },
     "has more measurements"},
    {[](const WantedRun& a, const WantedRun& b, const std::string&) {
       return std::pair(folder_name(a.folder), a.folder) >
              std::pair(folder_name(b.folder), b.folder);
     },
     "is newer"}};

/// Returns why the problem is taken from `a` rather than from `b`; nothing if it is not.
const char* reason_for(const WantedRun& a, const WantedRun& b, const std::string& problem) {
  for (const Preference& preference : kPreferences) {
    if (preference.prefers(a, b, problem)) return preference.reason;
    if (preference.prefers(b, a, problem)) return nullptr;
  }
  return nullptr;
}

/// Says which of several runs that answer a problem gives it: the first or the preferred one.
enum class Order { kNamed, kPreferred };

/// The problems that were not taken, by their run and the reason.
using LeftProblems = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

std::vector<std::string> lines_of(const LeftProblems& left_problems) {
  constexpr std::size_t kMostNames = 3;
  std::vector<std::string> lines;
  for (const auto& [reason, problems] : left_problems) {
    const std::string names =
        problems.size() <= kMostNames
            ? join_words(problems)
            : fmt::format("{} and {} more problems", problems.front(), problems.size() - 1);
    lines.push_back(fmt::format("{} of {}: {}", names, reason.first, reason.second));
  }
  return lines;
}

/// Takes each problem from one run. If none answers any, takes the first run.
WriteUp chosen_among(const std::vector<WantedRun>& runs, Order order) {
  WriteUp write_up{runs.front().edition, {}};
  LeftProblems left_problems;
  for (const Experiment& experiment : catalog()) {
    const std::string problem(experiment.name);
    std::vector<const WantedRun*> answering;
    for (const WantedRun& run : runs) {
      if (run.problems.contains(problem)) answering.push_back(&run);
    }
    if (answering.empty()) continue;
    if (order == Order::kPreferred) {
      std::ranges::sort(answering, [&](const WantedRun* a, const WantedRun* b) {
        return reason_for(*a, *b, problem) != nullptr;
      });
    }
    const WantedRun& taken = *answering.front();
    auto entry = std::ranges::find(write_up.runs, taken.folder, &WriteUpRun::folder);
    if (entry == write_up.runs.end())
      entry = write_up.runs.insert(write_up.runs.end(), {taken.folder});
    entry->problems.insert(problem);
    if (taken.problems.at(problem).measures_users_code) entry->own_code.insert(problem);
    for (const WantedRun* run : answering) {
      if (run->folder == taken.folder) continue;
      const std::string why =
          order == Order::kNamed ? "is named first" : reason_for(taken, *run, problem);
      left_problems[{path_words(run->folder), path_words(taken.folder) + " " + why}].push_back(
          problem);
    }
  }
  if (write_up.runs.empty()) write_up.runs.push_back({runs.front().folder});
  write_up.not_taken = lines_of(left_problems);
  return write_up;
}

/// Takes the newest run alone, for a user without runs.
WriteUp newest_alone(std::vector<fs::path> recorded_runs, const std::string& edition) {
  if (!edition.empty()) {
    std::erase_if(recorded_runs, [&](const fs::path& run) {
      return RunStore(run).load().edition != find_edition(edition).name;
    });
  }
  if (recorded_runs.empty()) {
    throw InputError("no run of the " + edition + " edition",
                     "`make report EDITION=" + edition + "` makes one");
  }
  const fs::path folder = newest_run(std::move(recorded_runs));
  return chosen_among({wanted_run(folder, load_measured(RunStore(folder)))}, Order::kNamed);
}

}  // namespace

std::vector<fs::path> WriteUp::folders() const {
  std::vector<fs::path> folders;
  for (const WriteUpRun& run : runs) folders.push_back(run.folder);
  return folders;
}

WriteUp choose_write_up(const std::vector<fs::path>& named_runs, const std::string& edition) {
  std::vector<WantedRun> runs;
  for (const fs::path& folder : named_runs) {
    const Run run = load_measured(RunStore(folder));
    const std::string wanted = edition.empty() && !runs.empty() ? runs.front().edition : edition;
    if (!wanted.empty() && run.edition != wanted) {
      throw InputError(fmt::format("{} is of the {} edition, not of {}", path_words(folder),
                                   run.edition, wanted),
                       "name runs of one edition");
    }
    runs.push_back(wanted_run(folder, run));
  }
  return chosen_among(runs, Order::kNamed);
}

WriteUp choose_users_write_up(std::vector<fs::path> recorded_runs, const std::string& edition) {
  std::ranges::sort(recorded_runs, std::greater(), folder_name);
  std::string wanted_edition = edition;
  std::vector<WantedRun> runs;
  std::vector<std::string> not_taken;
  const auto leave = [&](const fs::path& folder, const std::string& why) {
    not_taken.push_back(path_words(folder) + ": " + why);
  };
  for (const fs::path& folder : recorded_runs) {
    const RunStore store(folder);
    if (store.is_reference()) continue;
    try {
      const Run run = load_measured(store);
      if (wanted_edition.empty() && !mostly_failed(run)) wanted_edition = run.edition;
      if (mostly_failed(run)) {
        leave(folder, "most of its measurements failed");
      } else if (run.edition != wanted_edition) {
        leave(folder, fmt::format("it is of the {0} edition; --edition {0} takes it", run.edition));
      } else {
        runs.push_back(wanted_run(folder, run));
      }
    } catch (const std::exception& error) {
      leave(folder, error_line(error));
    }
  }
  WriteUp write_up = runs.empty() ? newest_alone(std::move(recorded_runs), edition)
                                  : chosen_among(runs, Order::kPreferred);
  std::ranges::move(not_taken, std::back_inserter(write_up.not_taken));
  return write_up;
}

}  // namespace labreport
