// Makes the pages of a site that compare its runs with each other.
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

/// A run of the site, with the data that a pair needs.
struct PairedRun {
  RunStore store;
  std::string place;  ///< Its folder inside the site: "<gpu>/<edition>/<time>-<revision>"
  std::string key;    ///< Changes with everything that its pages depend on.
  std::string preset = {};
  std::optional<RunSummary> summary = {};  ///< An imported table has none.
};

/// One pair's pages, made now or by an earlier render.
struct DiffPage {
  std::string key;  ///< Names the page in the content cache.
  RunSummary entry;
  std::vector<SiteFile> files = {};
  std::vector<std::string> unchanged = {};  ///< Files of an earlier render that stay.
  bool stays = false;                       ///< From an earlier render.
  std::string problem = {};                 ///< Why it has no pictures; empty if it has.
};

/// Makes one page for each two GPUs whose latest runs of an edition have cells in common, imported
/// tables included, and one for the two editions of one GPU; none for two imported tables. The
/// user's runs go before later ones that ship with the project, and full ones of these before quick
/// ones. At most ten pages are made: those of the newest pairs, the user's first. Pairs that have
/// nothing in common, or measured two models, have no files. Without the chart tool pages have only
/// their tables. Pages that `cache` knows to be in the site `out` are not made again. `site_url`:
/// see `SiteOptions`.
std::vector<DiffPage> make_diff_pages(const std::vector<PairedRun>& runs,
                                      const std::filesystem::path& out, ChartTool& tool,
                                      const ContentCache& cache, const std::string& site_url = "");

/// The pairs that the index lists.
std::vector<ComparedPair> listed_pairs(const std::vector<DiffPage>& pages);

/// Adds the pages to a site that was rendered.
void add_diff_pages(Site& site, const std::vector<DiffPage>& pages);

/// Stores the pages for the next render, once the site is written into `out`.
void remember_diff_pages(const std::vector<DiffPage>& pages, const std::filesystem::path& out,
                         const ContentCache& cache);

}  // namespace labreport
