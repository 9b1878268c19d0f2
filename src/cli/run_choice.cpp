#include "cli/run_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/messages.h"
#include "base/printable.h"
#include "base/text.h"
#include "publish/rendering.h"
#include "results/run_json.h"
#include "results/run_store.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// A recorded run with the names of its folders: `<gpu>/<edition>/<time>-<revision>`.
struct Listed {
  fs::path folder;
  std::string gpu;
  std::string edition;
  bool imported;
};

/// Oldest first.
using Runs = std::vector<Listed>;

Runs listed_runs(const fs::path& root) {
  Runs runs;
  for (const fs::path& folder : list_runs(root)) {
    const fs::path above = folder.parent_path();
    runs.push_back({folder, above.parent_path().filename().string(), above.filename().string(),
                    RunStore(folder).is_imported()});
  }
  return runs;
}

/// Keeps all runs if `edition` is empty.
Runs of_edition(Runs runs, const std::string& edition) {
  std::erase_if(runs,
                [&](const Listed& run) { return !edition.empty() && run.edition != edition; });
  return runs;
}

std::set<std::string> editions_of(const Runs& runs) {
  std::set<std::string> editions;
  for (const Listed& run : runs) editions.insert(run.edition);
  return editions;
}

std::string listing(const std::set<std::string>& names) {
  const std::vector<std::string> all(names.begin(), names.end());
  return join_words(all);
}

std::string gpu_named(const Runs& runs, const std::string& word) {
  std::string wanted = slug(word);
  std::set<std::string> gpus;
  for (const Listed& run : runs) {
    if (!wanted.empty() && run.gpu.find(wanted) != std::string::npos) gpus.insert(run.gpu);
  }
  if (gpus.contains(wanted)) return wanted;
  if (gpus.size() == 1) return *gpus.begin();
  if (gpus.empty()) {
    throw InputError("no run is called '" + word + "'",
                     "give a folder, a file, a GPU's name, latest or previous; `labreport list "
                     "runs` shows the runs there are");
  }
  throw InputError("'" + word + "' may be " + listing(gpus), "write the whole name");
}

/// An imported run's time is that of its import, which does not make it newer than other runs.
void drop_imported(Runs& runs) { std::erase_if(runs, &Listed::imported); }

/// Returns the edition's measured runs, for `latest` and `previous`; throws if there are none.
Runs measured_runs(const std::string& edition, const fs::path& root) {
  Runs runs = of_edition(listed_runs(root), edition);
  drop_imported(runs);
  if (!runs.empty()) return runs;
  throw InputError("no measured run" + (edition.empty() ? "" : " of the " + edition + " edition") +
                       " under " + root.string(),
                   "`make report` makes one");
}

/// One GPU's runs of the edition: measured ones, or imported ones if there are no others.
Runs runs_of_gpu(const std::string& word, const std::string& edition, const fs::path& root) {
  Runs all = listed_runs(root);
  const std::string gpu = gpu_named(all, word);
  std::erase_if(all, [&](const Listed& run) { return run.gpu != gpu; });
  Runs runs = of_edition(all, edition);
  if (runs.empty()) {
    throw InputError("'" + word + "' has no run of the " + edition + " edition",
                     "it has runs of " + listing(editions_of(all)));
  }
  if (!std::ranges::all_of(runs, &Listed::imported)) drop_imported(runs);
  return runs;
}

ChosenRun loaded(const fs::path& folder) {
  return {folder.string(), folder, RunStore(folder).load()};
}

struct Choice {
  ChosenRun chosen;
  bool wanted = false;                     ///< True if it meets the need and did not mostly fail.
  std::set<std::string> passed_over = {};  ///< Reasons why newer runs were passed over.

  std::string time() const { return chosen.folder.filename().string(); }
};

/// The newest wanted run; else the newest that did not mostly fail, else the newest.
Choice newest(const Runs& runs, const Need& need) {
  std::optional<Choice> unwanted;
  std::set<std::string> passed_over;
  for (const Listed& listed : runs | std::views::reverse) {
    Choice choice{loaded(listed.folder), false, passed_over};
    const bool failed = mostly_failed(choice.chosen.run);
    choice.wanted = !failed && need.met(choice.chosen.run);
    if (choice.wanted) return choice;
    if (!failed && !unwanted) unwanted = std::move(choice);
    passed_over.insert(failed ? "mostly failed" : need.unmet);
  }
  return unwanted ? *unwanted : Choice{loaded(runs.back().folder)};
}

/// Prints which run the word means if it could have meant another.
ChosenRun announced(const std::string& word, const Runs& runs, Choice choice,
                    std::vector<std::string> reasons = {}) {
  if (!choice.passed_over.empty()) {
    const std::vector<std::string> all(choice.passed_over.begin(), choice.passed_over.end());
    reasons.push_back("newer runs: " + join(all, ", "));
  }
  const std::string why = reasons.empty() ? "" : " (" + join(reasons, "; ") + ")";
  if (runs.size() > 1) say("{}\n", printable(word + ": " + choice.chosen.name + why));
  return std::move(choice.chosen);
}

/// The run before the latest, of the latest's GPU and edition.
ChosenRun previous(const Runs& runs) {
  const fs::path folder = newest(runs, kAnyRun).chosen.folder;
  const auto latest = std::ranges::find(runs, folder, &Listed::folder);
  Runs before = of_edition({runs.begin(), latest}, latest->edition);
  std::erase_if(before, [&](const Listed& run) { return run.gpu != latest->gpu; });
  if (before.empty()) {
    throw InputError(fmt::format("{} has no measured run of the {} edition before the latest",
                                 latest->gpu, latest->edition),
                     "give a folder or a GPU; `labreport list runs` shows the runs there are");
  }
  return announced("previous", runs, newest(before, kAnyRun));
}

bool names_gpu(const std::string& word) {
  return !fs::exists(word) && word != "latest" && word != "previous";
}

/// Returns the newest pair of wanted runs of one edition; a pair is as old as its older run.
std::optional<std::pair<Choice, Choice>> newest_pair(const Runs& a, const Runs& b,
                                                     const Need& need) {
  std::optional<std::pair<Choice, Choice>> found;
  std::string newest_time;
  for (const std::string& edition : editions_of(a)) {
    const Runs of_b = of_edition(b, edition);
    if (of_b.empty()) continue;
    std::pair pair(newest(of_edition(a, edition), need), newest(of_b, need));
    const std::string time = std::min(pair.first.time(), pair.second.time());
    if (!pair.first.wanted || !pair.second.wanted || time <= newest_time) continue;
    newest_time = time;
    found = std::move(pair);
  }
  return found;
}

/// Explains the pairing; a GPU with runs of only one edition needs no reason.
std::vector<std::string> why_paired(const Runs& runs) {
  if (editions_of(runs).size() == 1) return {};
  return {"newest pair of one edition"};
}

}  // namespace

const Need kLabreportsNetwork{
    [](const Run& run) { return measured_model(run) == nullptr && has_timing_cells(run); },
    "without times of labreport's network"};

ChosenRun choose_run(const std::string& word, const std::string& edition, const fs::path& root,
                     const Need& need) {
  if (fs::is_regular_file(word)) {
    return {word, fs::path(word).parent_path(), run_from_json(read_file(word), word)};
  }
  if (fs::is_directory(word)) return loaded(word);
  if (word == "previous") return previous(measured_runs(edition, root));
  const bool latest = word == "latest";
  const Runs runs = latest ? measured_runs(edition, root) : runs_of_gpu(word, edition, root);
  return announced(word, runs, newest(runs, latest ? kAnyRun : need));
}

std::pair<ChosenRun, ChosenRun> choose_pair(const std::string& a, const std::string& b,
                                            const std::string& edition, const fs::path& root,
                                            const Need& need) {
  if (names_gpu(a) && names_gpu(b)) {
    const Runs of_a = runs_of_gpu(a, edition, root), of_b = runs_of_gpu(b, edition, root);
    auto pair = newest_pair(of_a, of_b, need);
    if (!pair)
      return {announced(a, of_a, newest(of_a, need)), announced(b, of_b, newest(of_b, need))};
    return {announced(a, of_a, std::move(pair->first), why_paired(of_a)),
            announced(b, of_b, std::move(pair->second), why_paired(of_b))};
  }
  if (names_gpu(a)) {
    auto [second, first] = choose_pair(b, a, edition, root, need);
    return {std::move(first), std::move(second)};
  }
  ChosenRun first = choose_run(a, edition, root);
  if (!names_gpu(b)) return {std::move(first), choose_run(b, edition, root)};
  const Runs of_b = runs_of_gpu(b, edition, root);
  const Runs same = of_edition(of_b, first.run.edition);
  if (same.empty() || same.size() == of_b.size())
    return {first, announced(b, of_b, newest(of_b, need))};
  return {first, announced(b, of_b, newest(same, need), why_paired(of_b))};
}

fs::path choose_folder(const std::string& word, const fs::path& root) {
  return fs::exists(word) ? run_folder(word) : choose_run(word, "", root).folder;
}

}  // namespace labreport
