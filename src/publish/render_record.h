// What earlier renders wrote into a site and from what: a run whose key and files are the same is
// not even loaded.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "publish/content_cache.h"
#include "publish/rendering.h"
#include "publish/site.h"
#include "results/run_store.h"

namespace labreport {

class RenderRecord {
 public:
  /// The record of the site `out`. It lies in `cache`, not in the site, whose bytes it would make
  /// depend on time.
  RenderRecord(ContentCache cache, std::filesystem::path out);

  /// What the site holds of a run, when it was made with this key and each file is as it was left.
  std::optional<KeptRun> find(const std::filesystem::path& run, const std::string& key) const;

  /// A run that `find` found stays in the record.
  void keep(const std::filesystem::path& run);

  /// Takes down a run that was just written. Where a file is not what was written, since another
  /// render writes into the same site, the run is left out.
  void keep(const std::filesystem::path& run, const std::string& key, const RunEntry& entry,
            const std::vector<const SiteFile*>& files, const std::string& wanted = "");

  /// Replaces the record by what was kept since it was opened.
  void save() const;

 private:
  ContentCache cache_;
  std::filesystem::path out_;
  nlohmann::json before_;
  nlohmann::json now_ = nlohmann::json::object();
};

/// Equal keys, equal pages. `noted`: the author's folder of notes belongs to this run.
/// `chart_tool`: `ChartProcess::identity`.
std::string render_key(const RunStore& run, bool noted, const RenderOptions& options,
                       const std::string& chart_tool);

}  // namespace labreport
