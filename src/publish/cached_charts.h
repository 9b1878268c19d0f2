// A chart tool that stores the results of another one, so that nothing is drawn twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/drawings.h"
#include "publish/content_cache.h"

namespace labreport {

class CachedCharts : public ChartTool {
 public:
  /// `identity`: a text that changes whenever `tool` may draw differently; nothing is cached if it
  /// is empty, which means unknown. `tool` must live longer.
  CachedCharts(ChartTool& tool, std::string identity, ContentCache cache);

  /// These ask the tool only for results that the cache lacks, and start it only if there are some.
  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::vector<PrintedChart> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override;
  bool works() override { return tool_.works(); }  ///< Never cached: the tool may break later.
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs) override;
  Formulas convert_formulas(const std::set<std::string>& sources) override;
  std::vector<std::string> render_latex(const std::vector<std::string>& trees) override;

 private:
  std::string key(const std::string& what) const { return identity_ + "\n" + what; }
  /// Returns nothing if the cache has no entry.
  std::optional<std::string> find(const std::string& what) const;
  void store(const std::string& what, const std::string& bytes) const;

  ChartTool& tool_;
  std::string identity_;
  ContentCache cache_;
};

}  // namespace labreport
