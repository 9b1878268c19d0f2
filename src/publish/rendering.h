// Renders recorded runs into a site on disk, for `render` and `report`.
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
  std::filesystem::path notes = {};  ///< The author's folder of notes; may be empty.
  bool own = false;                  ///< Leave out the runs that ship with the project.
  std::vector<std::filesystem::path> imports = {};  ///< Tables to compare the runs with.
  bool single_file = false;   ///< Each run's page as one file too, for the mail.
  bool force = false;         ///< Overwrite files of others in pages' places.
  bool named = false;         ///< The user named the runs: an unreadable one is refused.
  bool asked = false;         ///< The user named the formats: a missing one is a failure.
  std::string site_url = {};  ///< The site's web address with a closing slash; may be empty.
};

Answers parse_answers(const std::string& text);

/// `named` is a run's folder or its run.json.
std::filesystem::path run_folder(const std::filesystem::path& named);

/// Every measured run below `root`; imported ones have no report. Throws `InputError` when there is
/// none.
std::vector<std::filesystem::path> recorded_runs(const std::filesystem::path& root);

/// The time with which a run's name begins, and the rest of the name.
std::string age_of(const std::filesystem::path& run);

/// The user's newest run, else the newest full one, else the newest. A run that mostly failed is
/// chosen only if all did. Empty if there is none.
std::filesystem::path newest_run(std::vector<std::filesystem::path> runs);

struct Rendered {
  std::filesystem::path index;  ///< Empty if no pages were asked for.
  /// Each run's page by its folder, as one file if that was asked for, or the first of the
  /// requested formats. Contains only pages that were made.
  std::map<std::filesystem::path, std::filesystem::path> pages;
  std::set<std::filesystem::path> changed;  ///< The pages that this render wrote.
  std::string notice;         ///< Names what pages lack beyond requested formats, one line each.
  std::string where;          ///< Which pages have the author's words; may be empty.
  bool lacks_format = false;  ///< A requested format could not be made; `notice` says why.
  /// Runs that could not be read and notes that could not be shown, one line each.
  std::vector<std::string> problems;

  /// Incomplete if there are problems or a format is missing: the rest is rendered.
  ExitStatus status() const;

  /// Says on stderr which pages have the author's words, what is missing and what is wrong, the
  /// problems last.
  void tell() const;

  const std::filesystem::path& page_of(const std::filesystem::path& run_folder) const;
};

/// Throws `InputError` also for an imported run, whose means answer no question of the handout.
Run load_measured(const RunStore& store);

/// Loads a run for its pages. Throws as `load_measured`.
SiteRun site_run(const RunStore& store);

/// Renders what changed since the last render into the same folder. A run that cannot be read is
/// left out and becomes a problem, or is thrown as `InputError` if it was named. Of two folders
/// with the same run the user's is used, and different runs have different pages. Throws
/// `Interrupted` and leaves the site unchanged.
Rendered render_runs(const std::vector<std::filesystem::path>& folders,
                     const RenderOptions& options);

}  // namespace labreport
