// Makes the whole site, every page of every run as bytes, and writes it to disk.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/drawings.h"
#include "document/index/index_document.h"
#include "publish/formats.h"
#include "writers/html/html.h"
#include "writers/typst/typst.h"

namespace labreport {

/// A run, ready for the site.
struct SiteRun {
  std::string folder;  ///< Inside the site, slugs with '/': "nvidia-h200/2025/<time>-<revision>"
  Document document;
  std::string run_json;         ///< Published unchanged.
  std::string started_at = {};  ///< UTC, ISO 8601; orders the index.
  std::string cells_csv = {};   ///< Published unchanged; may be empty.
};

/// A run whose pages were made by an earlier render and are still up to date.
struct UnchangedRun {
  RunSummary summary;
  std::vector<std::string> files;     ///< Inside the site.
  std::string preferred_folder = {};  ///< Its folder, if no other run had that name.
};

struct SiteOptions {
  Answers answers = Answers::kFull;
  Formats formats = all_formats();
  Paper paper = Paper::kA4;
  bool single_file = false;  ///< A run's page once more, as one file that can be mailed.
  std::vector<ComparedPair> pairs = {};  ///< Pages for the index to name; the caller adds them.
  std::string site_url = {};  ///< The root's address on the web, with a closing slash, if known.
};

struct SiteFile {
  std::string path;  ///< Relative to the site's root.
  std::string bytes;
};

struct Site {
  std::vector<SiteFile> files;  ///< In a fixed order; same input, same bytes.
  std::string notice;           ///< Missing things, one line each, e.g. the chart tool.
  bool partial = false;         ///< Only some formats; others of an earlier render stay.
  std::vector<std::string> unchanged = {};  ///< Existing files that stay unchanged.
  std::vector<RunSummary> summaries = {};   ///< One for each run that was rendered, in their order.
  bool undrawn = false;                ///< The chart tool does not work: no page has its script.
  std::set<std::string> lacking = {};  ///< Folders of runs that lack pictures or a format.

  void add_notice(const std::string& line) { notice += (notice.empty() ? "" : "\n") + line; }
};

/// The pages of `runs`, and the index of these and of `unchanged`. Without a tool, or with one that
/// fails, everything but pictures is made and the notice says so; if it fails for one run, only
/// that run lacks them. Texts show control characters visibly.
Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool,
                 const std::vector<UnchangedRun>& unchanged = {});

/// The site's files below a run's folder.
std::vector<const SiteFile*> files_of(const Site& site, const std::string& folder);

/// The path of a run's one-file page inside the site; its name describes its content:
/// "<folder>/<gpu>-<edition>-….html".
std::string single_page_path(const std::string& folder);

/// The treatment of a file in a page's place that this program did not write.
enum class Foreign { kStays, kOverwritten };

/// A site that is written whole or not at all: first into a hidden folder beside its pages, then
/// all pages are moved into place.
class StagedSite {
 public:
  /// Writes the files that differ from `out` beside it. Throws `InputError` and changes nothing if
  /// `out` cannot be written to, holds files but no site, or a link leads out of it, and if a
  /// foreign file that stays is in a page's place. `site` must live longer.
  StagedSite(const Site& site, std::filesystem::path out, Foreign foreign = Foreign::kStays);
  ~StagedSite();  ///< Removes files that were not moved into place.
  StagedSite(const StagedSite&) = delete;
  StagedSite& operator=(const StagedSite&) = delete;

  /// The files that `commit` will put in their places: those that differ from what is there.
  const std::vector<std::string>& changed() const { return moves_; }

  /// Puts each page in its place, the index last, and removes the pages of an earlier render that
  /// are no longer part of a whole site.
  void commit();

 private:
  std::filesystem::path staged(const std::string& path) const;
  void stage(const SiteFile& file);
  void write_manifest(const std::set<std::string>& paths) const;

  std::filesystem::path out_;
  std::set<std::string> before_;    ///< Files of earlier renders.
  std::set<std::string> now_;       ///< Files of the site.
  std::vector<std::string> moves_;  ///< Files that wait to be moved into place.
};

}  // namespace labreport
