// Pages that an earlier render made and that still stand in the site: the content cache holds what
// they were made from and what proves them untouched, so that an unchanged run is not even loaded.
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

/// Equal keys, equal pages in the same site. `noted`: the notes of the author's folder that belong
/// to this run. `chart_tool`: `ChartProcess::identity`.
std::string pages_key(const RunStore& run, const std::set<std::string>& noted,
                      const RenderOptions& options, const std::string& chart_tool);

/// The pages in the site `out` that `keep_pages` kept under this key, if each file is as it was.
std::optional<KeptRun> find_pages(const ContentCache& cache, const std::string& key,
                                  const std::filesystem::path& out);

/// Keeps what was just written into the site `out`. If a file is not what was written, because
/// another render writes into the same site, nothing is kept.
void keep_pages(const ContentCache& cache, const std::string& key, const std::filesystem::path& out,
                const RunSummary& summary, const std::vector<const SiteFile*>& files,
                const std::string& wanted = "");

}  // namespace labreport
