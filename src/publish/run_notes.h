// Decides which notes go to which run's page.
//
// A run's own folder `notes/` belongs to that run. Each note of the author's folder (`--notes`,
// `notes`) belongs to one of the runs at hand: the newest that has its part, measures its network
// and did not mostly fail. If there are runs of the user's own, only these count. A note's network
// is that of the run it was begun for; if that run is unknown, that of the oldest run with its
// part, so that no later measurement of another network takes the words. The author (author.md) is
// the same for all of the user's runs.
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

/// The folder that `--notes` names; without it `notes` if that is a folder, else an empty path.
/// Throws `InputError` if the named folder does not exist.
std::filesystem::path author_folder(const std::string& flag);

class RunNotes {
 public:
  /// `folder`: the author's; may be empty.
  RunNotes(const std::vector<std::filesystem::path>& runs, const std::filesystem::path& folder);

  /// The notes of the author's folder that belong to this run, by their parts' names.
  const std::set<std::string>& names_for(const RunStore& store) const;

  /// Puts the run's notes into its report.
  void place(const RunStore& store, Document& document);

  /// Says in one line which of the rendered runs' pages have the words of the author's folder.
  /// Empty if that folder has none or none of its runs is rendered.
  std::string where(const std::vector<std::filesystem::path>& rendered) const;

  void add_problem(const std::string& problem) { problems_.push_back(problem); }

  /// Everything in the notes that could not be used, one line each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void assign(std::vector<std::filesystem::path> runs);

  std::filesystem::path folder_;
  NotesFolder shared_;
  std::map<std::filesystem::path, std::set<std::string>> names_;  ///< Names of notes by the run's
                                                                  ///< folder.
  std::vector<std::string> problems_;
};

struct ConvertedFormulas {
  std::string failure;               ///< Why the tool converted nothing; usually empty.
  std::vector<std::string> refused;  ///< Formulas that are shown as code, one line each, with file.
  std::set<std::string> runs;        ///< Folders of the pages that have these formulas.
};

/// Converts the formulas in the notes of `runs` in at most one start of the tool; a formula that
/// cannot be converted is shown as code.
ConvertedFormulas convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool);

}  // namespace labreport
