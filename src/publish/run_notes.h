// Which notes go to which run's page.
//
// A run's own folder `notes/` belongs to that run. Each note of the author's folder (`--notes`,
// `notes`) belongs to one of the runs at hand: the newest that has its part, measures its network
// and did not mostly fail. Only runs of one's own count if there are any. A note's network is that
// of the run it was begun for; if nothing tells that run, that of the oldest run with its part, so
// that no later measurement of another network takes the words. Whose report it is (author.md)
// holds for all of one's own runs.
#pragma once

#include <filesystem>
#include <map>
#include <set>
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
  /// `folder`: the author's; may be empty.
  RunNotes(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& folder);

  /// The notes of the author's folder that belong to this run, by their parts' names.
  const std::set<std::string>& names_for(const RunStore& store) const;

  /// Puts the run's notes into its report.
  void place(const RunStore& store, Document& document);

  /// Which of the rendered runs' pages have the words of the author's folder: one line. Empty if
  /// that folder says nothing or none of its runs is rendered.
  std::string where(const std::vector<std::filesystem::path>& rendered) const;

  void add_problem(const std::string& problem) { problems_.push_back(problem); }

  /// Everything in the notes that could not be used, one line each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void assign(const std::vector<std::filesystem::path>& runs);

  std::filesystem::path folder_;
  NotesFolder shared_;
  std::map<std::filesystem::path, std::set<std::string>> names_;  ///< By the run's folder.
  std::vector<std::string> problems_;
};

struct ConvertedFormulas {
  std::string failure;               ///< Why the tool converted nothing; usually empty.
  std::vector<std::string> refused;  ///< Formulas that are shown as code, one line each, with file.
  std::set<std::string> runs;        ///< The pages on which these stand, by their folders.
};

/// Gives the notes of `runs` the forms of their formulas, in one start of the tool at most; what
/// has none is shown as code.
ConvertedFormulas convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool);

}  // namespace labreport
