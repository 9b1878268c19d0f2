// Which notes go to which run's page.
//
// A run's own folder `notes/` belongs to that run. The author's folder (`--notes`, `notes`) belongs
// to one of the runs at hand: the newest of one's own; where none is, the newest. Whose report it
// is (author.md) holds for all of one's own runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "notes/notes_folder.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

/// What `--notes` names; without it `notes`, where that is a folder, else nothing. Throws
/// `InputError` when the named folder is not there.
std::filesystem::path author_folder(const std::string& flag);

class RunNotes {
 public:
  /// `folder`: the author's; may be empty. Problems of what lies in it are told on stderr.
  RunNotes(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& folder);

  /// Whether the author's folder belongs to this run.
  bool belongs_to(const RunStore& store) const { return store.folder() == noted_; }

  /// Puts the run's notes into its report; tells what could not be placed.
  void place(const RunStore& store, Document& document);

  /// Which of the rendered runs' pages have the words of the author's folder and which, of the same
  /// author's, have not: one line, since a new measurement moves the words to its own page. Empty
  /// where that folder says nothing.
  std::string where(const std::vector<std::filesystem::path>& rendered) const;

  /// Everything told so far.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void place_shared(Document& document);
  void tell(const std::vector<std::string>& problems);

  std::filesystem::path noted_;
  std::filesystem::path folder_;
  std::size_t placed_ = 0;  ///< Notes of the author's folder that stand in a page.
  NotesFolder shared_;
  std::vector<std::string> problems_;
};

/// Gives the notes of `runs` the forms of their formulas, in one start of the tool at most; what
/// has none is shown as code. Returns one line where the tool failed, else nothing.
std::string convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool);

}  // namespace labreport
