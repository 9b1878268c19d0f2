#include "cli/kept.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/messages.h"
#include "base/text.h"
#include "orchestrate/resume.h"

namespace labreport {

namespace fs = std::filesystem;

namespace {

/// Whether `make report RESUME=1` by itself looks where this command keeps its runs, and may go on.
bool made_by_make(const std::vector<std::string>& argv) {
  const bool otherwise = std::ranges::any_of(argv, [](const std::string& word) {
    const std::string flag = word.substr(0, word.find('='));
    return flag == "--out" || flag == "--model" || flag == "--attention";
  });
  return argv.size() > 1 && argv[1] == "report" && !otherwise;
}

}  // namespace

std::string kept_words(const Run& run, const std::vector<PlannedCell>& wanted) {
  std::size_t kept = 0;
  std::int64_t all = 0;
  for (const PlannedCell& cell : wanted) {
    const Cell* known = run.find(cell_id(cell.spec));
    const std::size_t launches = known == nullptr ? 0 : known->launches.size();
    kept += std::min(launches, static_cast<std::size_t>(cell.launches));  // one may be repeated
    all += cell.launches;
  }
  return fmt::format("{} of {} launches", kept, all);
}

void say_how_to_go_on(const std::string& kept, const fs::path& folder,
                      std::vector<std::string> argv) {
  if (std::find(argv.begin(), argv.end(), "--resume") == argv.end()) argv.push_back("--resume");
  say("interrupted: {} are kept in {}\n", kept, folder.string());
  say("go on with {}`{}`\n", made_by_make(argv) ? "`make report RESUME=1` or " : "",
      command_line(argv));
}

void fail_with_kept(const Error& error, const RunStore& store,
                    const std::vector<PlannedCell>& wanted) {
  std::string kept;
  try {
    const Run run = store.load();
    if (has_launches(run)) kept = kept_words(run, wanted);
  } catch (const std::exception&) {
    throw InputError(error.what());  // the folder is gone or cannot be read either
  }
  if (kept.empty()) throw InputError(error.what());
  throw InputError(error.what(), fmt::format("{} are kept in {}: go on with --resume", kept,
                                             store.folder().string()));
}

}  // namespace labreport
