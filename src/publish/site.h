// The whole site: every page of every run as bytes, and its way to disk.
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

/// A run as the site takes it.
struct SiteRun {
  std::string folder;  ///< Inside the site, slugs with '/': "nvidia-h200/2025/<time>-<revision>"
  Document document;
  std::string run_json;         ///< Published as it is.
  std::string started_at = {};  ///< UTC, ISO 8601; by it the index is ordered.
  std::string cells_csv = {};   ///< Published as it is; empty: none.
};

/// A run whose pages an earlier render made and nothing has changed since.
struct KeptRun {
  RunSummary summary;
  std::vector<std::string> files;  ///< Inside the site.
  std::string wanted = {};         ///< Its folder, had no other run taken that name.
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
  std::string notice;  ///< What is missing, one line each, e.g. the chart tool; empty when nothing.
  bool partial = false;  ///< Some formats alone: the others of an earlier render stay.
  std::vector<std::string> kept = {};      ///< Files that are there already and stay as they are.
  std::vector<RunSummary> summaries = {};  ///< One for each run that was rendered, in their order.
  bool undrawn = false;                ///< The chart tool does not work: no page has its script.
  std::set<std::string> lacking = {};  ///< Folders of runs that lack pictures or a format.

  void tell(const std::string& line) { notice += (notice.empty() ? "" : "\n") + line; }
};

/// The pages of `runs`, and the index of these and of `kept`. Without a tool, or with one that
/// fails, everything but pictures is made and the notice says so; where it fails over one run, that
/// one alone lacks them. Texts show control characters as such.
Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool,
                 const std::vector<KeptRun>& kept = {});

/// The site's files below a run's folder.
std::vector<const SiteFile*> files_of(const Site& site, const std::string& folder);

/// Where a run's page as one file lies inside the site; its name says by itself what it holds:
/// "<folder>/<gpu>-<edition>-….html".
std::string single_page_path(const std::string& folder);

/// What becomes of a file in a page's place that this program did not write.
enum class Foreign { kStays, kOverwritten };

/// A site that is written whole or not at all: first beside its pages, where no reader looks, then,
/// all at once, in their places.
class StagedSite {
 public:
  /// Writes what differs from `out` beside it. Throws `InputError`, having changed nothing, when
  /// `out` cannot be written to, when it holds files but no site, when a link leads out of it, and
  /// when a foreign file that stays is in a page's place. `site` must live longer.
  StagedSite(const Site& site, std::filesystem::path out, Foreign foreign = Foreign::kStays);
  ~StagedSite();  ///< Removes what was not put in its place.
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
  std::set<std::string> before_;    ///< What earlier renders wrote.
  std::set<std::string> now_;       ///< What the site consists of.
  std::vector<std::string> moves_;  ///< What waits for its place.
};

}  // namespace labreport
