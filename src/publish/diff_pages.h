// Makes the pages of a site that compare two of its runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "document/drawings.h"
#include "document/index/index_document.h"
#include "publish/content_cache.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

/// A run or an imported table, with the data that its pairs need.
struct PairedRun {
  RunStore store;
  std::string site_folder;  ///< "<gpu>/<edition>/<time>-<revision>"
  std::string key;          ///< A part of the cache key of the run's pages: changes if they may.
  /// An empty preset makes pairs avoid the run: it times no training step or mostly failed.
  std::string preset = {};
  std::optional<RunSummary> summary = {};  ///< An imported table has none.
};

/// The files that compare one pair, made now or by an earlier render.
struct DiffPage {
  std::string key;         ///< The page's key in the content cache.
  RunSummary index_entry;  ///< The page's folder and its texts in the index.
  std::vector<SiteFile> files = {};
  std::vector<std::string> unchanged_files = {};  ///< Files of an earlier render that stay.
  bool is_unchanged = false;                      ///< An earlier render made the page.
  std::string problem = {};                       ///< Why charts or the link's preview are missing.
};

/// Makes one page for each two GPUs whose runs of one edition have cells in common, and one for
/// each two editions on one GPU. An imported table counts as a GPU, but two of them make no page.
/// Each GPU and edition has one run in the pairs, if possible one that times a training step: the
/// user's newest, else the newest of preset `full`, else the newest. At most ten pages are made,
/// those of the user's runs first, then those of the newest runs. A pair without common cells, or
/// of two implementations, has an entry without files. If the chart tool fails, a page has only
/// tables. Pages that `cache` knows to be in the site `out` are not made again. `site_url`: see
/// `SiteOptions`.
std::vector<DiffPage> make_diff_pages(const std::vector<PairedRun>& runs,
                                      const std::filesystem::path& out, ChartTool& tool,
                                      const ContentCache& cache, const std::string& site_url = "");

/// Returns the links that the index has to the pages.
std::vector<ComparedPair> links_to_pages(const std::vector<DiffPage>& pages);

/// Adds the pages to a rendered site, and a notice for each that lacks charts.
void add_diff_pages(Site& site, const std::vector<DiffPage>& pages);

/// Records the pages for the next render. They must be in the site `out` already.
void remember_diff_pages(const std::vector<DiffPage>& pages, const std::filesystem::path& out,
                         const ContentCache& cache);

}  // namespace labreport
