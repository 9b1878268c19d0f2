#include "analysis/provenance.h"

#include <algorithm>

#include "results/metric_names.h"

namespace labreport {

std::vector<std::string> provenance(const Run& run, std::string_view name) {
  std::vector<std::string> texts;
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      const Metric* metric = launch.find_condition(metric::kProvenance, name);
      if (metric == nullptr || metric->is_samples()) continue;
      const auto* text = std::get_if<std::string>(&std::get<Scalar>(metric->data));
      if (text != nullptr && std::ranges::find(texts, *text) == texts.end()) {
        texts.push_back(*text);
      }
    }
  }
  return texts;
}

}  // namespace labreport
