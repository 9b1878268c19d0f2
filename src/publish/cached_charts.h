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
  /// `identity` is a text that changes whenever `tool` may draw differently. If it is empty,
  /// nothing is cached. `tool` must outlive this object.
  CachedCharts(ChartTool& tool, std::string identity, ContentCache cache);

  /// The overrides ask the tool only for results that the cache lacks.
  std::vector<std::string> draw(const std::vector<std::string>& specs) override;
  std::vector<PrintedChart> print(const std::vector<std::string>& svgs) override;
  std::string bundle() override;
  bool works() override { return tool_.works(); }  ///< Never cached: the tool may break later.
  std::vector<TypesetResult> typeset(const std::vector<TypesetJob>& jobs) override;
  Formulas convert_formulas(const std::set<std::string>& sources) override;
  std::vector<std::string> render_latex(const std::vector<std::string>& reports) override;

 private:
  std::string key(const std::string& request) const { return identity_ + "\n" + request; }
  /// `request`: the kind of the result and the input from which the tool makes it.
  std::optional<std::string> find(const std::string& request) const;
  void store(const std::string& request, const std::string& bytes) const;

  ChartTool& tool_;
  std::string identity_;
  ContentCache cache_;
};

}  // namespace labreport
