// Decides which of the author's notes are on which run's page.
//
// The notes in a run's folder `notes/` belong to that run. Each note of the author's folder
// (`--notes`, else `notes`) belongs to one run: the newest that has the note's part, measures the
// note's network and did not mostly fail. If there are runs of the user's, only these count. The
// note's network is that of the run for which it was begun or, if that run is unknown, of the
// oldest run with the part, so that no later measurement of another network takes the note. The
// author (author.md) is the same for all runs of the user's.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "notes/notes_folder.h"
#include "publish/site.h"
#include "publish/write_up.h"
#include "results/run_store.h"

namespace labreport {

/// Returns the folder that `--notes` names. Without this flag returns `notes` if that is a folder,
/// else an empty path. Throws `InputError` if the named folder does not exist.
std::filesystem::path chosen_notes_folder(const std::string& flag);

class RunNotes {
 public:
  /// Reads the author's folder of notes; an empty path means that there is none. A run that is
  /// joined with others in one report has only the parts that this report takes from it.
  RunNotes(const std::vector<WriteUp>& reports, const std::filesystem::path& folder);

  /// Returns the names of the parts whose notes in the author's folder belong to this run.
  const std::set<std::string>& names_for(const RunStore& store) const;

  /// Puts the run's notes into its report.
  void place(const RunStore& store, Document& document);

  /// Says in one line how many notes of the author's folder are on the page of each rendered run,
  /// and how many belong to no run. Empty if there is nothing to say.
  std::string placement(const std::vector<std::filesystem::path>& rendered) const;

  void add_problem(const std::string& problem) { problems_.push_back(problem); }

  /// Says what in the notes could not be used and why, one line each.
  const std::vector<std::string>& problems() const { return problems_; }
  /// Names the pictures that the notes lack, one line each.
  const std::vector<std::string>& missing_pictures() const { return missing_pictures_; }

 private:
  void assign(std::vector<WriteUp> reports);

  std::filesystem::path folder_;
  NotesFolder author_notes_;
  std::map<std::filesystem::path, std::set<std::string>> note_names_;  ///< By the run's folder.
  std::vector<std::string> problems_, missing_pictures_;
};

struct ConvertedFormulas {
  std::string failure;                  ///< Why the tool converted nothing; empty if it worked.
  std::vector<std::string> refusals;    ///< Each names a formula and its place in a file.
  std::set<std::string> affected_runs;  ///< Site folders of runs with refused formulas.
};

/// Converts the formulas in the notes of `runs` in at most one start of the tool; a formula that
/// cannot be converted is shown as code.
ConvertedFormulas convert_note_formulas(std::vector<SiteRun>& runs, ChartTool& tool);

}  // namespace labreport
