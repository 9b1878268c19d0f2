#include "cli/run_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/messages.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/hints.h"
#include "publish/rendering.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunOrItsFile = "name a run’s folder, or its run.json";

/// A recorded run and the names of its parent folders: `<gpu>/<edition>/<time>-<revision>`.
struct ListedRun {
  fs::path folder;
  std::string gpu;  ///< The slug of the GPU's name.
  std::string edition;
  bool is_imported;
};

/// The runs are sorted by time, the oldest first.
using ListedRuns = std::vector<ListedRun>;

ListedRuns runs_below(const fs::path& root) {
  ListedRuns runs;
  for (const fs::path& folder : list_runs(root)) {
    const fs::path edition_folder = folder.parent_path();
    runs.push_back({folder, edition_folder.parent_path().filename().string(),
                    edition_folder.filename().string(), RunStore(folder).is_imported()});
  }
  return runs;
}

/// Returns all runs if `edition` is empty.
ListedRuns runs_of_edition(ListedRuns runs, const std::string& edition) {
  std::erase_if(runs,
                [&](const ListedRun& run) { return !edition.empty() && run.edition != edition; });
  return runs;
}

std::set<std::string> editions_of(const ListedRuns& runs) {
  std::set<std::string> editions;
  for (const ListedRun& run : runs) editions.insert(run.edition);
  return editions;
}

std::string join_names(const std::set<std::string>& names) {
  const std::vector<std::string> all(names.begin(), names.end());
  return join_words(all);
}

std::string find_gpu(const ListedRuns& runs, const std::string& word) {
  std::string searched = slug(word);
  std::set<std::string> gpus;
  for (const ListedRun& run : runs) {
    if (!searched.empty() && run.gpu.find(searched) != std::string::npos) gpus.insert(run.gpu);
  }
  if (gpus.contains(searched)) return searched;
  if (gpus.size() == 1) return *gpus.begin();
  if (gpus.empty()) {
    throw InputError("no run is called '" + word + "'",
                     "give a folder, a file, a GPU's name, latest or previous; `labreport list "
                     "runs` shows the runs there are");
  }
  throw InputError("'" + word + "' may be " + join_names(gpus), "write the whole name");
}

/// Imported runs are left out because their time is that of the import, not of the measurement.
void drop_imported(ListedRuns& runs) { std::erase_if(runs, std::mem_fn(&ListedRun::is_imported)); }

/// Returns the edition's measured runs, for `latest` and `previous`; throws if there are none.
ListedRuns measured_runs(const std::string& edition, const fs::path& root) {
  ListedRuns runs = runs_of_edition(runs_below(root), edition);
  drop_imported(runs);
  if (!runs.empty()) return runs;
  recorded_runs(root);  // It throws if no edition has a run.
  throw InputError("no measured run of the " + edition + " edition below " + root.string(),
                   "`make report` makes one");
}

/// Returns one GPU's measured runs of the edition; its imported ones if it has no measured ones.
ListedRuns runs_of_gpu(const std::string& word, const std::string& edition, const fs::path& root) {
  ListedRuns all = runs_below(root);
  if (all.empty()) {
    throw InputError(
        "no run is called '" + word + "', and none is below " + fs::absolute(root).string(),
        "give a run's folder or file, or go to the project's folder");
  }
  const std::string gpu = find_gpu(all, word);
  std::erase_if(all, [&](const ListedRun& run) { return run.gpu != gpu; });
  ListedRuns runs = runs_of_edition(all, edition);
  if (runs.empty()) {
    throw InputError("'" + word + "' has no run of the " + edition + " edition",
                     "it has runs of " + join_names(editions_of(all)));
  }
  if (!std::ranges::all_of(runs, &ListedRun::is_imported)) drop_imported(runs);
  return runs;
}

ChosenRun load_run(const fs::path& folder) {
  return {folder.string(), folder, RunStore(folder).load()};
}

struct Candidate {
  ChosenRun chosen;
  bool is_preferred = false;  ///< True if it meets the preference and did not mostly fail.
  std::set<std::string> skip_reasons = {};  ///< The reasons why newer runs were skipped.

  std::string folder_name() const { return chosen.folder.filename().string(); }  ///< Sorts by time.
};

/// Returns the newest preferred run; else the newest that did not mostly fail, else the newest.
Candidate best_candidate(const ListedRuns& runs, const RunPreference& preference) {
  std::optional<Candidate> fallback;
  std::set<std::string> skip_reasons;
  for (const ListedRun& listed : runs | std::views::reverse) {
    Candidate candidate{load_run(listed.folder), false, skip_reasons};
    const bool failed = mostly_failed(candidate.chosen.run);
    candidate.is_preferred = !failed && preference.is_met(candidate.chosen.run);
    if (candidate.is_preferred) return candidate;
    if (!failed && !fallback) fallback = std::move(candidate);
    skip_reasons.insert(failed ? "mostly failed" : preference.reason_if_unmet);
  }
  return fallback ? *fallback : Candidate{load_run(runs.back().folder)};
}

/// Prints on stderr which run was chosen for the word if there were several, and returns it.
ChosenRun announce(const std::string& word, const ListedRuns& runs, Candidate candidate,
                   std::vector<std::string> reasons = {}) {
  if (!candidate.skip_reasons.empty()) {
    const std::vector<std::string> all(candidate.skip_reasons.begin(),
                                       candidate.skip_reasons.end());
    reasons.push_back("newer runs: " + join(all, ", "));
  }
  const std::string why = reasons.empty() ? "" : " (" + join(reasons, "; ") + ")";
  if (runs.size() > 1) say("{}\n", printable(word + ": " + candidate.chosen.name + why));
  return std::move(candidate.chosen);
}

/// Returns the newest run before the latest one, of the same GPU and edition.
ChosenRun run_before_latest(const ListedRuns& runs) {
  const fs::path folder = best_candidate(runs, kAnyRun).chosen.folder;
  const auto latest = std::ranges::find(runs, folder, &ListedRun::folder);
  ListedRuns before = runs_of_edition({runs.begin(), latest}, latest->edition);
  std::erase_if(before, [&](const ListedRun& run) { return run.gpu != latest->gpu; });
  if (before.empty()) {
    throw InputError(fmt::format("{} has no measured run of the {} edition before the latest",
                                 latest->gpu, latest->edition),
                     "give a folder or a GPU; `labreport list runs` shows the runs there are");
  }
  return announce("previous", runs, best_candidate(before, kAnyRun));
}

bool names_gpu(const std::string& word) {
  return !fs::exists(word) && word != "latest" && word != "previous";
}

/// Returns runs of one edition, one of each GPU; nothing if no edition has them. Takes the edition
/// of which all GPUs have preferred runs, then that with the newest. Runs together are as old as
/// the oldest.
std::optional<std::vector<Candidate>> newest_of_one_edition(const std::vector<ListedRuns>& gpus,
                                                            const RunPreference& preference) {
  std::optional<std::vector<Candidate>> found;
  std::pair<bool, std::string> best;
  for (const std::string& edition : editions_of(gpus.front())) {
    std::vector<Candidate> candidates;
    for (const ListedRuns& runs : gpus) {
      const ListedRuns of_edition = runs_of_edition(runs, edition);
      if (!of_edition.empty()) candidates.push_back(best_candidate(of_edition, preference));
    }
    if (candidates.size() < gpus.size()) continue;
    const std::pair rank(std::ranges::all_of(candidates, &Candidate::is_preferred),
                         std::ranges::min(candidates, {}, &Candidate::folder_name).folder_name());
    if (rank <= best) continue;
    best = rank;
    found = std::move(candidates);
  }
  return found;
}

/// Returns why the choice may not be the GPU's newest run; nothing if it has a single edition.
std::vector<std::string> why_of_one_edition(const ListedRuns& runs) {
  if (editions_of(runs).size() == 1) return {};
  return {"newest of one edition"};
}

}  // namespace

const RunPreference kPreferLabreportsNetwork{
    [](const Run& run) { return measured_model(run) == nullptr && has_timing_cells(run); },
    "without times of labreport's network"};

ChosenRun choose_run(const std::string& word, const std::string& edition, const fs::path& root,
                     const RunPreference& preference) {
  if (fs::is_regular_file(word)) {
    refuse_foreign_format(word, kRunOrItsFile);
    return {word, fs::path(word).parent_path(), run_from_json(read_file(word), word)};
  }
  if (fs::is_directory(word)) return load_run(word);
  if (word == "previous") return run_before_latest(measured_runs(edition, root));
  const bool latest = word == "latest";
  const ListedRuns runs = latest ? measured_runs(edition, root) : runs_of_gpu(word, edition, root);
  return announce(word, runs, best_candidate(runs, latest ? kAnyRun : preference));
}

std::vector<ChosenRun> choose_runs(const std::vector<std::string>& words,
                                   const std::string& edition, const fs::path& root,
                                   const RunPreference& preference) {
  if (words.size() == 1) return {choose_run(words.front(), edition, root, preference)};
  std::vector<ChosenRun> chosen(words.size());
  std::vector<ListedRuns> gpus;
  std::set<std::string> named_editions;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (names_gpu(words[i])) {
      gpus.push_back(runs_of_gpu(words[i], edition, root));
    } else {
      chosen[i] = choose_run(words[i], edition, root);
      named_editions.insert(chosen[i].run.edition);
    }
  }
  if (gpus.empty()) return chosen;
  std::optional<std::vector<Candidate>> together;
  if (named_editions.empty()) together = newest_of_one_edition(gpus, preference);
  std::size_t gpu = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!names_gpu(words[i])) continue;
    const ListedRuns& runs = gpus[gpu];
    ListedRuns same_edition =
        named_editions.size() == 1 ? runs_of_edition(runs, *named_editions.begin()) : ListedRuns();
    const bool is_narrowed = together || !same_edition.empty();
    if (same_edition.empty()) same_edition = runs;
    Candidate candidate =
        together ? std::move((*together)[gpu]) : best_candidate(same_edition, preference);
    chosen[i] = announce(words[i], runs, std::move(candidate),
                         is_narrowed ? why_of_one_edition(runs) : std::vector<std::string>());
    ++gpu;
  }
  return chosen;
}

fs::path choose_folder(const std::string& word, const fs::path& root, const std::string& edition) {
  if (fs::is_regular_file(word)) refuse_foreign_format(word, kRunOrItsFile);
  return fs::exists(word) ? run_folder(word) : choose_run(word, edition, root).folder;
}

WriteUp write_up_of(const std::vector<std::string>& words, const std::string& edition,
                    const fs::path& root) {
  std::vector<fs::path> named;
  for (const std::string& word : words) {
    for (const std::string& name : fs::exists(word) ? std::vector{word} : split(word, ','))
      named.push_back(choose_folder(name, root, edition));
  }
  WriteUp write_up = named.empty() ? choose_users_write_up(recorded_runs(root), edition)
                                   : choose_write_up(named, edition);
  for (const std::string& line : write_up.not_taken)
    say("{}\n", in_callers_form("not taken: " + line));
  return write_up;
}

}  // namespace labreport
