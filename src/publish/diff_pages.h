// Chooses the runs of a site that are compared, and compares them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "publish/content_cache.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

/// A run or an imported table, with the data that its pairs need.
struct PairedRun {
  RunStore store;
  std::string site_folder;  ///< "<gpu>/<edition>/<time>-<revision>"
  std::string key;          ///< A part of the cache key of the run's pages: changes if they may.
  std::optional<RunSummary> summary = {};  ///< An imported table has none.
};

/// Compares each two GPUs whose runs of one edition have cells in common, and each two editions on
/// one GPU. An imported table counts as a GPU, but two of them are not compared. Each GPU and
/// edition has one run in the pairs, if possible one that times a training step: the user's newest,
/// else the newest of preset `full`, else the newest. At most ten pairs have a page, those of the
/// user's runs first, then those of the newest runs. A pair without common cells, or of two
/// implementations, has none. Pages that `cache` knows to be in the site `out` stay.
std::vector<SitePair> compare_pairs(const std::vector<PairedRun>& runs,
                                    const std::filesystem::path& out, const ContentCache& cache);

}  // namespace labreport
