#include "cli/run_choice.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A recorded run by the names of its folders: `<gpu>/<edition>/<time>-<revision>`.
struct Listed {
  fs::path folder;
  std::string gpu;
  std::string edition;
  bool imported;
};

std::vector<Listed> listed_runs(const fs::path& root, const std::string& edition) {
  std::vector<Listed> runs;
  for (const fs::path& folder : list_runs(root)) {
    const fs::path above = folder.parent_path();
    Listed run{folder, above.parent_path().filename().string(), above.filename().string(),
               RunStore(folder).is_imported()};
    if (edition.empty() || run.edition == edition) runs.push_back(std::move(run));
  }
  return runs;
}

std::set<std::string> gpus_named(const std::vector<Listed>& runs, const std::string& wanted) {
  std::set<std::string> whole;
  std::set<std::string> parts;
  for (const Listed& run : runs) {
    if (run.gpu == wanted) whole.insert(run.gpu);
    if (run.gpu.find(wanted) != std::string::npos) parts.insert(run.gpu);
  }
  return whole.empty() ? parts : whole;
}

std::string listing(const std::set<std::string>& names) {
  const std::vector<std::string> all(names.begin(), names.end());
  return join_words(all);
}

/// Imported runs have the time of their import: they are neither newer nor older than others.
void leave_imported_out(std::vector<Listed>& runs) {
  std::erase_if(runs, [](const Listed& run) { return run.imported; });
}

/// One GPU's runs: measured ones, or imported ones where it has no others. Refuses a word that
/// means several, or one with runs of several editions.
std::vector<Listed> runs_of_gpu(std::vector<Listed> runs, const std::string& word) {
  const std::string wanted = slug(word);
  const std::set<std::string> gpus =
      wanted.empty() ? std::set<std::string>() : gpus_named(runs, wanted);
  if (gpus.empty()) {
    throw InputError("no run is called '" + word + "'",
                     "give a folder, a file, a GPU's name, latest or previous; `labreport list "
                     "runs` shows the runs there are");
  }
  if (gpus.size() > 1) {
    throw InputError("'" + word + "' may be " + listing(gpus), "write the whole name");
  }
  std::erase_if(runs, [&](const Listed& run) { return run.gpu != *gpus.begin(); });
  if (!std::ranges::all_of(runs, &Listed::imported)) leave_imported_out(runs);
  std::set<std::string> editions;
  for (const Listed& run : runs) editions.insert(run.edition);
  if (editions.size() > 1) {
    throw InputError("'" + word + "' has runs of " + listing(editions),
                     "choose one with --edition, or give a run's folder");
  }
  return runs;
}

/// A GPU that has runs, though none of this edition.
void refuse_other_editions(const std::vector<Listed>& runs, const std::string& word,
                           const std::string& edition, const fs::path& root) {
  const std::string wanted = slug(word);
  if (edition.empty() || wanted.empty() || !gpus_named(runs, wanted).empty()) return;
  std::set<std::string> editions;
  for (const Listed& run : listed_runs(root, "")) {
    if (run.gpu.find(wanted) != std::string::npos) editions.insert(run.edition);
  }
  if (editions.empty()) return;
  throw InputError("'" + word + "' has no run of the " + edition + " edition",
                   "it has runs of " + listing(editions));
}

/// The one before the latest, among the latest's own edition.
fs::path previous_of(std::vector<Listed> runs) {
  const std::string edition = runs.back().edition;
  std::erase_if(runs, [&](const Listed& run) { return run.edition != edition; });
  if (runs.size() < 2) {
    throw InputError("there is no measured run before the latest of the " + edition + " edition",
                     "give a folder, or choose another --edition");
  }
  return runs[runs.size() - 2].folder;
}

ChosenRun loaded(const fs::path& folder) {
  return {folder.string(), folder, RunStore(folder).load()};
}

/// The newest that is wanted, else the newest.
ChosenRun newest_of(const std::vector<Listed>& runs,
                    const std::function<bool(const Run&)>& is_wanted) {
  for (auto listed = runs.rbegin(); listed != runs.rend(); ++listed) {
    ChosenRun run = loaded(listed->folder);
    if (is_wanted(run.run)) return run;
  }
  return loaded(runs.back().folder);
}

}  // namespace

Run load_run(const std::string& named) {
  if (fs::is_regular_file(named)) return run_from_json(read_file(named), named);
  return RunStore(named).load();
}

bool times_labreports_network(const Run& run) {
  return measured_model(run) == nullptr && times_networks(run);
}

ChosenRun choose_run(const std::string& word, const std::string& edition, const fs::path& root,
                     const std::function<bool(const Run&)>& is_wanted) {
  if (fs::is_regular_file(word)) return {word, fs::path(word).parent_path(), load_run(word)};
  if (fs::is_directory(word)) return loaded(word);
  std::vector<Listed> runs = listed_runs(root, edition);
  refuse_other_editions(runs, word, edition, root);
  if (word != "latest" && word != "previous") {
    return newest_of(runs_of_gpu(runs, word), is_wanted);
  }
  leave_imported_out(runs);
  if (runs.empty()) {
    throw InputError("no measured run" +
                         (edition.empty() ? "" : " of the " + edition + " edition") + " under " +
                         root.string(),
                     "`make report` makes one");
  }
  return loaded(word == "latest" ? runs.back().folder : previous_of(runs));
}

}  // namespace labreport
