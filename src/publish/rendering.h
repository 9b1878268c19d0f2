// From recorded runs to a site on disk: what `render` and `report` have in common.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

struct RenderOptions {
  std::filesystem::path out;
  Answers answers = Answers::kFull;
  Formats formats = all_formats();
  Paper paper = Paper::kA4;
  std::filesystem::path notes = {};  ///< The author's folder of notes; empty: none.
  bool own = false;                  ///< Leave out the runs that ship with the project.
  std::vector<std::filesystem::path> imports = {};  ///< Tables to compare the runs with.
  bool single_file = false;   ///< Each run's page as one file too, for the mail.
  bool force = false;         ///< Overwrite files in pages' places that others wrote.
  bool named = false;         ///< The runs were named: one that cannot be read is refused.
  bool asked = false;         ///< The formats were named: one that cannot be made is a failure.
  std::string site_url = {};  ///< The site's address on the web, with a closing slash; empty: none.
};

Answers parse_answers(const std::string& text);

/// `named` is a run's folder or its run.json.
std::filesystem::path run_folder(const std::filesystem::path& named);

/// Every measured run below `root`; imported ones have no report. Throws `InputError` when there is
/// none.
std::vector<std::filesystem::path> recorded_runs(const std::filesystem::path& root);

/// The time with which a run's name begins, and the rest of the name.
std::string age_of(const std::filesystem::path& run);

/// The newest of one's own, else the newest full one of all, else the newest. A run that mostly
/// failed is chosen only if all did. Empty if there is none.
std::filesystem::path newest_run(std::vector<std::filesystem::path> runs);

struct Rendered {
  std::filesystem::path index;  ///< Empty where no pages were asked for.
  /// By the run's folder; its page, as one file where that was asked for, or the
  /// first of the formats asked for. Only pages that were made.
  std::map<std::filesystem::path, std::filesystem::path> pages;
  std::set<std::filesystem::path> changed;  ///< Those of the pages that this render wrote.
  std::string notice;         ///< What pages lack although nobody asked for it, one line each.
  std::string where;          ///< Which pages have the author's words; empty: there are none.
  bool lacks_format = false;  ///< One that was asked for could not be made; `notice` says why.
  /// Runs that could not be read and notes that could not be shown, one line each.
  std::vector<std::string> problems;

  /// Incomplete if there are problems or a format is missing: the rest is rendered.
  ExitStatus status() const;

  /// Says on stderr where words stand, what is missing and what is wrong, the problems last.
  void tell() const;

  const std::filesystem::path& page_of(const std::filesystem::path& run_folder) const;
};

/// Throws `InputError` also for an imported run: somebody's means answer no question of the
/// handout.
Run load_measured(const RunStore& store);

/// Loads a run for its pages. Throws as `load_measured`.
SiteRun site_run(const RunStore& store);

/// Renders what changed since the last render into the same folder. A run that cannot be read
/// is left out and becomes a problem, or thrown as `InputError` where it was named; of two folders
/// with the same run one's own counts, and different runs have different pages. Throws
/// `Interrupted`, the site being as it was.
Rendered render_runs(const std::vector<std::filesystem::path>& folders,
                     const RenderOptions& options);

}  // namespace labreport
