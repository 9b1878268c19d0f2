// Finds pages that an earlier render made and that are still in the site. The content cache holds
// their inputs and stamps that prove them untouched, so that an unchanged run is not even loaded.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "publish/content_cache.h"
#include "publish/rendering.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

/// Equal keys mean equal pages in the same site. `noted`: the notes of the author's folder that
/// belong to this run. `chart_tool`: `ChartProcess::identity`.
std::string pages_key(const RunStore& run, const std::set<std::string>& noted,
                      const RenderOptions& options, const std::string& chart_tool);

/// The pages in the site `out` that `store_pages` recorded under this key, if each file is
/// unchanged.
std::optional<UnchangedRun> find_pages(const ContentCache& cache, const std::string& key,
                                       const std::filesystem::path& out);

/// Records what was just written into the site `out`. Records nothing if a file differs, because
/// another render writes into the same site.
void store_pages(const ContentCache& cache, const std::string& key,
                 const std::filesystem::path& out, const RunSummary& summary,
                 const std::vector<const SiteFile*>& files,
                 const std::string& preferred_folder = "");

}  // namespace labreport
