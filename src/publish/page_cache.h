// Finds pages that an earlier render made and that are still in the site. The content cache stores
// stamps of their files, so that an unchanged run need not be loaded.
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

/// Returns a hash of everything that a run's pages depend on, the site's folder included.
/// `note_names`: the author's notes of this run. `tool_identity`: see `ChartProcess::identity`.
std::string pages_key(const RunStore& run, const std::set<std::string>& note_names,
                      const RenderOptions& options, const std::string& tool_identity);

/// Returns the pages in the site `out` that `store_pages` recorded under this key; nothing if there
/// are none or if one of their files has changed.
std::optional<UnchangedRun> find_pages(const ContentCache& cache, const std::string& key,
                                       const std::filesystem::path& out);

/// Records pages that were just written into the site `out`. Records nothing if the bytes of a file
/// differ, because another program has changed it.
void store_pages(const ContentCache& cache, const std::string& key,
                 const std::filesystem::path& out, const RunSummary& summary,
                 const std::vector<const SiteFile*>& files,
                 const std::string& preferred_folder = "", const std::vector<SiteLink>& links = {});

}  // namespace labreport
