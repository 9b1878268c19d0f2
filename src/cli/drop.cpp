// labreport drop takes a recorded run out of the site without deleting it.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "cli/run_choice.h"
#include "cli/verbs.h"
#include "orchestrate/resume.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunsFolder = "site/runs";
constexpr const char* kDroppedFolder = "site/dropped";  // git ignores this folder.

ExitStatus drop(const std::string& word) {
  if (word.empty())
    throw InputError("drop needs a run", "`labreport list runs` shows the runs there are");
  const fs::path folder = choose_folder(word, kRunsFolder);
  const fs::path relative_path =
      fs::weakly_canonical(folder).lexically_relative(fs::canonical(kRunsFolder));
  if (relative_path.empty() || relative_path == "." || *relative_path.begin() == "..")
    throw InputError(folder.string() + " is not below " + kRunsFolder,
                     "name a run that `labreport list runs` shows");
  const fs::path run_path = kRunsFolder / relative_path,
                 dropped_path = kDroppedFolder / relative_path;
  if (fs::exists(dropped_path))
    throw InputError(dropped_path.string() + " is there already", "move or delete it first");
  const RunLock lock(run_path, RunUse::kChange);
  fs::create_directories(dropped_path.parent_path());
  fs::rename(run_path, dropped_path);
  fmt::print(
      "dropped: the next render leaves out {}, and git ignores its folder\nto bring it back: {}\n",
      run_path.string(),
      command_line(std::array{std::string("mv"), dropped_path.string(), run_path.string()}));
  return ExitStatus::kDone;
}

}  // namespace

void add_drop(CLI::App& app, Invocation& invocation) {
  const auto [verb, run] =
      add_verb<std::string>(app, invocation, "drop", "take a run out of the site", drop);
  verb->add_option("run", *run, "RUN: a folder, a GPU, latest or previous");
}

}  // namespace labreport
