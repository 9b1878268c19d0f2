#include "experiments/benchmarking_mixed_precision/present.h"

#include <algorithm>

#include "experiments/benchmarking_mixed_precision/parts.h"
#include "experiments/benchmarking_mixed_precision/speedup.h"
#include "experiments/common/table_cells.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

/// The largest speedup of a whole pass, if something became faster at all.
std::vector<Glance> glance(const RunView& view) {
  const std::vector<Speedup> all = speedups(view);
  const auto gain = [](const Speedup& row) {
    return row.forward && row.backward ? std::max(row.forward->value, row.backward->value) : 0;
  };
  const auto best = std::ranges::max_element(all, {}, gain);
  if (best == all.end() || gain(*best) <= 1) return {};
  const bool backward = best->backward->value > best->forward->value;
  const Ratio& ratio = backward ? *best->backward : *best->forward;
  return {{"Best " + best->precision + " speedup, " + best->size +
               (backward ? ", backward" : ", forward"),
           deviating_cell(ratio.value, ratio.deviation).text + " ×", std::string(kProblem) + "-c"}};
}

}  // namespace

Presentation present(const RunView& view) {
  Presentation shown;
  if (auto part = present_dtypes(view)) shown.parts.emplace("a", std::move(*part));
  if (auto part = present_layer_norm(view)) shown.parts.emplace("b", std::move(*part));
  if (auto part = present_speedups(view)) shown.parts.emplace("c", std::move(*part));
  if (!shown.parts.empty()) shown.glance = glance(view);
  return shown;
}

}  // namespace labreport::benchmarking_mixed_precision
