#include "cli/run_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/rendering.h"

namespace labreport {
namespace fs = std::filesystem;

fs::path author_folder(const std::string& flag) {
  std::error_code error;
  if (flag.empty()) return fs::is_directory(kNotesFolder, error) ? kNotesFolder : "";
  if (!fs::is_directory(flag, error)) {
    throw InputError("no folder of notes " + flag, "`labreport notes --init` writes one");
  }
  return flag;
}

RunNotes::RunNotes(const std::vector<fs::path>& runs, const fs::path& folder) {
  if (folder.empty()) return;
  noted_ = newest_run(runs);
  shared_ = read_notes(folder);
  tell(shared_.problems);
}

void RunNotes::place(const RunStore& store, Document& document) {
  std::error_code error;
  const bool own_folder = fs::is_directory(store.notes_folder(), error);
  if (!store.is_reference()) document.front = shared_.front;
  if (!own_folder && store.folder() == noted_) return tell(place_notes(shared_, document));
  if (!own_folder) return;
  NotesFolder own = read_notes(store.notes_folder());
  tell(own.problems);
  if (!fs::exists(author_file(store.notes_folder()), error)) own.front = document.front;
  tell(place_notes(own, document));
}

void RunNotes::tell(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) fmt::print(stderr, "{}\n", problem);
  problems_.insert(problems_.end(), problems.begin(), problems.end());
}

}  // namespace labreport
