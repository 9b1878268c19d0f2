// labreport drop takes a recorded run out of the site without deleting it.
#include <fmt/format.h>

#include <filesystem>

#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "orchestrate/resume.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "site/runs";
constexpr const char* kDropped = "site/dropped";  // .gitignore names it.

ExitStatus drop(const std::string& word) {
  if (word.empty())
    throw InputError("drop needs a run", "`labreport list runs` shows the runs there are");
  const fs::path folder = choose_folder(word, kRuns);
  const fs::path place = fs::weakly_canonical(folder).lexically_relative(fs::canonical(kRuns));
  if (place.empty() || place == "." || *place.begin() == "..")
    throw InputError(folder.string() + " is not below " + kRuns,
                     "name a run that `labreport list runs` shows");
  const fs::path shown = kRuns / place, dropped = kDropped / place;
  if (fs::exists(dropped))
    throw InputError(dropped.string() + " is there already", "move or delete it first");
  const RunLock not_while_measuring(shown);
  fs::create_directories(dropped.parent_path());
  fs::rename(shown, dropped);
  fmt::print(
      "dropped: the next render leaves out {}, and git ignores its folder\nto bring it back: mv {} "
      "{}\n",
      shown.string(), dropped.string(), shown.string());
  return ExitStatus::kDone;
}

}  // namespace

void add_drop(CLI::App& app, Invocation& invocation) {
  const auto [verb, run] =
      add_verb<std::string>(app, invocation, "drop", "take a run out of the site", drop);
  verb->add_option("run", *run, "RUN: a folder, a GPU, latest or previous");
}

}  // namespace labreport
