// Renders recorded runs into a site on disk, for `render` and `report`.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "publish/site.h"
#include "publish/write_up.h"
#include "results/run_store.h"

namespace labreport {

class RunNotes;

struct RenderOptions {
  std::filesystem::path out;
  Answers answers = Answers::kFull;
  Formats formats = all_formats();
  Paper paper = Paper::kA4;
  std::filesystem::path notes = {};  ///< The author's folder of notes; may be empty.
  bool own_runs_only = false;        ///< Leaves out the runs that ship with the project.
  std::vector<std::filesystem::path> imports = {};  ///< Tables to compare the runs with.
  bool single_file = false;         ///< Writes each run's page also as one file that can be mailed.
  bool force = false;               ///< Overwrites files that this program did not write.
  bool user_named_runs = false;     ///< If so, an unreadable run is refused.
  bool user_named_formats = false;  ///< If so, a missing format is a failure.
  std::string site_url = {};        ///< The site's web address with a closing slash; may be empty.
};

Answers parse_answers(const std::string& text);

/// Returns the run's folder. `path` is this folder or its run.json.
std::filesystem::path run_folder(const std::filesystem::path& path);

/// Lists all runs' folders below `root` except imported ones. Throws `InputError` if there is none.
std::vector<std::filesystem::path> recorded_runs(const std::filesystem::path& root);

/// Returns the name of a run's folder. It begins with the run's time, so that names sort by age.
std::string folder_name(const std::filesystem::path& run);

/// Returns the folder of the user's newest run, else of the newest full run, else of the newest. A
/// run that mostly failed is chosen only if all did. Empty if `runs` is empty.
std::filesystem::path newest_run(std::vector<std::filesystem::path> runs);

struct Rendered {
  std::filesystem::path index;  ///< Empty if no pages were asked for.
  /// The page of each run by the run's folder: its one-file page if requested, else the file of its
  /// first requested format. A run without such a file is absent.
  std::map<std::filesystem::path, std::filesystem::path> pages;
  std::set<std::filesystem::path> changed_pages;  ///< The pages that this render wrote.
  std::string notice;          ///< Names each missing part of a page, such as charts, on a line.
  std::string note_placement;  ///< Says which pages have the author's words; may be empty.
  bool lacks_format = false;   ///< A requested format could not be made; `notice` says why.
  /// Runs that could not be read, and parts and notes that could not be shown, one line each.
  std::vector<std::string> problems;

  /// `kIncomplete` if there are problems or a requested format is missing, else `kDone`.
  ExitStatus status() const;

  /// Prints `note_placement`, `notice` and `problems` on stderr.
  void print_messages() const;

  /// Returns the run's page, or `index` if the run has none.
  const std::filesystem::path& page_of(const std::filesystem::path& run_folder) const;
};

/// Loads a measured run. Throws `InputError` if it cannot be read or is imported, because imported
/// averages answer no question of the course handout.
Run load_measured(const RunStore& store);

/// Builds the report of the run in `store`, or of these problems alone if there are any. Adds a
/// line to `left_out` for each part that cannot be presented: "left out of <the run's folder>:
/// nsys_profile.b: " and the reason.
Document report_of(const RunStore& store, const Run& run, std::vector<std::string>& left_out,
                   const std::set<std::string>& problems = {});

/// Loads the runs and builds their document with the author's notes: a run's whole report if there
/// is one run, else the report that joins the problems taken from each. The summary's folder is
/// where a site has the run by default; for several runs it is "write-up/<edition>". Throws as
/// `load_measured`, and if a run has no session. Adds lines to `left_out` as `report_of` does.
SiteRun site_run(const WriteUp& write_up, RunNotes& notes, std::vector<std::string>& left_out);

/// Renders the runs that changed since the last render into the same folder. A run that cannot be
/// read becomes a problem, or throws `InputError` if the user named it. If two folders hold the
/// same run, the user's is used. An interrupt leaves the site unchanged and throws `Interrupted`.
Rendered render_runs(const std::vector<std::filesystem::path>& folders,
                     const RenderOptions& options);

/// Renders one report of all runs of the write-up, which has each of them as its page.
Rendered render_write_up(const WriteUp& write_up, const RenderOptions& options);

}  // namespace labreport
