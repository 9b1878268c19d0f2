// Makes all files of the site in memory and writes them to disk.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
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

/// A run whose document is built and whose files can be written.
struct SiteRun {
  RunSummary summary;
  Document document;
  std::string run_json;        ///< The bytes of run.json; no such file if empty.
  std::string cells_csv = {};  ///< The bytes of cells.csv; no such file if empty.

  const std::string& folder() const { return summary.folder; }
};

/// A run whose files an earlier render made; they are still up to date.
struct UnchangedRun {
  RunSummary summary;
  std::vector<std::string> files;     ///< Paths relative to the site's root.
  std::string preferred_folder = {};  ///< The folder inside the site unless another run has it.
  std::vector<SiteLink> links = {};   ///< The links in the head of the run's page.
};

/// A pair of runs and the page that compares them, if they have cells in common.
struct SitePair {
  std::string key;                       ///< The key of the page's files in the content cache.
  std::array<std::string, 2> runs = {};  ///< The folders of A and B in the site.
  /// The page's folder, and the words of links to it: the title as `device`, the machines' relation
  /// as `preset`.
  RunSummary link;
  std::optional<Document> document = {};          ///< Set if the page is to be written.
  std::string diff_json = {};                     ///< The bytes of diff.json.
  std::vector<std::string> unchanged_files = {};  ///< The files of an earlier render that stay.

  bool has_page() const { return document || !unchanged_files.empty(); }
};

struct SiteOptions {
  Answers answers = Answers::kFull;
  Formats formats = all_formats();
  Paper paper = Paper::kA4;
  bool single_file = false;   ///< Write each run's page also as one file that can be mailed.
  std::string site_url = {};  ///< The root's web address with a closing slash; may be empty.
};

struct SiteFile {
  std::string path;  ///< Relative to the site's root.
  std::string bytes;
};

struct Site {
  std::vector<SiteFile> files;  ///< Order and bytes are the same for the same input.
  std::string notice;           ///< Names each missing part of the site, such as charts, on a line.
  std::vector<std::string> problems = {};  ///< Reports that could not be made as a whole, by line.
  bool is_partial = false;  ///< True if only some formats were made: earlier files stay.
  std::vector<std::string> unchanged_files = {};  ///< Paths of earlier files that stay.
  std::vector<RunSummary> summaries = {};      ///< One for each rendered run, in the runs' order.
  std::vector<SiteLink> links = {};            ///< The links in the head of each page.
  bool chart_tool_failed = false;              ///< If so, no page has charts or a bundle.
  std::set<std::string> incomplete_runs = {};  ///< Folders of pages that lack charts or a format.

  void add_notice(const std::string& line) { notice += (notice.empty() ? "" : "\n") + line; }
};

/// Makes the files of `runs` and `pairs`, and an index of `runs`, `unchanged` and `pairs`. If the
/// tool is null or fails, files that need it are left out, and the notice tells a failure. If the
/// tool fails for one page, only the files of that page are left out. Control characters in texts
/// are made visible.
Site render_site(const std::vector<SiteRun>& runs, const SiteOptions& options, ChartTool* tool,
                 const std::vector<UnchangedRun>& unchanged = {},
                 const std::vector<SitePair>& pairs = {});

/// Returns the site's files whose paths are below `folder`.
std::vector<const SiteFile*> files_of(const Site& site, const std::string& folder);

/// Returns the path inside the site of a run's one-file page: "<folder>/<gpu>-<edition>-….html", so
/// that the name of a mailed file tells the run.
std::string single_page_path(const std::string& folder);

/// Says what to do if a file of the site has the path of a file that this program did not write: to
/// refuse the site or to overwrite that file.
enum class OnForeignFile { kRefuse, kOverwrite };

/// Writes a site in two steps, so that a failed write changes no page: first all files into a
/// hidden folder inside the site, then `commit` moves them into place.
class StagedSite {
 public:
  /// Writes the files that differ from those in `out` into the hidden folder. Throws `InputError`
  /// and changes no page if `out` cannot be written to or holds files but no site, if a link leads
  /// out of it, or if a foreign file has the path of one of the files and is not to be overwritten.
  StagedSite(const Site& site, std::filesystem::path out,
             OnForeignFile on_foreign = OnForeignFile::kRefuse);
  ~StagedSite();  ///< Removes the hidden folder.
  StagedSite(const StagedSite&) = delete;
  StagedSite& operator=(const StagedSite&) = delete;

  /// Returns the files that `commit` moves into place: those that are new or differ.
  const std::vector<std::string>& changed_paths() const { return staged_paths_; }

  /// Moves each file into place, the index last, and removes the files of earlier renders that are
  /// not part of the site; a partial site keeps them. Throws `InputError` if a move fails.
  void commit();

 private:
  std::filesystem::path staged_path(const std::string& path) const;
  void stage(const SiteFile& file);
  void write_manifest(const std::set<std::string>& paths) const;

  std::filesystem::path out_;
  std::set<std::string> earlier_paths_;    ///< All files of earlier renders.
  std::set<std::string> current_paths_;    ///< All files of this site.
  std::vector<std::string> staged_paths_;  ///< Files in the hidden folder.
};

}  // namespace labreport
