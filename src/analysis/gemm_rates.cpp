#include "analysis/gemm_rates.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/kernel_places.h"
#include "analysis/measures.h"
#include "plan/part_work.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// Returns the FLOPs of one GEMM at this place; 0 if there is no formula for the place.
double gemm_flops(const KernelPlace& place, const CellSpec& spec) {
  constexpr double kProjectionsPerLayer = 4, kFeedForwardGemmsPerLayer = 3;
  const auto layers = static_cast<double>(spec.model->layers);
  const auto flops = [&](NetworkPart part) { return part_work(part, spec).flops; };
  if (place.stage == stage::kProjections)
    return flops(NetworkPart::kProjections) / (kProjectionsPerLayer * layers);
  if (place.stage == stage::kScores) return flops(NetworkPart::kScores) / layers;
  if (place.stage == stage::kValues) return flops(NetworkPart::kValues) / layers;
  if (place.part == role::kFeedForward)
    return flops(NetworkPart::kFeedForward) / (kFeedForwardGemmsPerLayer * layers);
  return place.part == role::kHead ? flops(NetworkPart::kHead) : 0;
}

/// The GEMMs of one module in one phase.
struct ModuleGemms {
  double flops = 0, ns = 0;
};

}  // namespace

std::optional<double> fastest_gemm_rate(const CellSpec& spec, const Launch& launch) {
  if (!spec.model || !spec.implementation.empty()) return std::nullopt;
  std::map<std::pair<std::string, std::string>, ModuleGemms> by_phase_and_module;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const std::string kernel_class = row.text(column::kClass);
    if (!kernel_class.starts_with("gemm")) continue;
    const std::string module = row.text(column::kModule);
    ModuleGemms& gemms = by_phase_and_module[{row.text(column::kPhase), module}];
    gemms.ns += row.number(column::kTotalNs).value_or(0);
    if (kernel_class != "gemm") continue;  // A helper is part of a GEMM that counts already.
    const KernelPlace place =
        place_of(module, row.text(column::kOperation), row.text(column::kOperator));
    gemms.flops += row.number(column::kInstances).value_or(0) * gemm_flops(place, spec);
  }
  double highest = 0;
  for (const auto& [phase_and_module, gemms] : by_phase_and_module) {
    if (gemms.ns > 0) highest = std::max(highest, gemms.flops * kNanosecondsPerSecond / gemms.ns);
  }
  return highest > 0 ? std::optional(highest) : std::nullopt;
}

}  // namespace labreport
