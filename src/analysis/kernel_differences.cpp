#include "analysis/kernel_differences.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/kernel_places.h"
#include "plan/editions.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// Returns the cell's first successful launch. Null if there is none, or if the cell does not
/// profile a warm step.
const Launch* profiled_launch(const Cell* cell) {
  if (cell == nullptr || cell->spec.kind != CellKind::kKernels || cell->spec.steps == 0) {
    return nullptr;
  }
  const auto ok = std::ranges::find_if(cell->launches, is_ok, &Launch::outcome);
  return ok == cell->launches.end() ? nullptr : &*ok;
}

struct SideSums {
  KernelSum a = {}, b = {};
};
using PhaseAndPlace = std::pair<std::string, KernelPlace>;
using SumsByPlace = std::map<PhaseAndPlace, SideSums>;

void add(KernelSum& sum, const KernelSum& more) {
  sum.ns += more.ns;
  sum.count += more.count;
}

/// Adds the launch's kernels to one side. Loss and optimizer are one place each, whatever ranges
/// their code opens. Not every network separates QKᵀ, scale and mask, and A·V, so the two products
/// become one stage, and scale and mask belong to no stage.
void add_kernels(SumsByPlace& places, const Launch& launch, KernelSum SideSums::* side) {
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const std::string phase = row.text(column::kPhase);
    KernelPlace place;
    if (phase != metric::kLoss && phase != metric::kOptimizer) {
      place = place_of(row.text(column::kModule), row.text(column::kOperation),
                       row.text(column::kOperator));
    }
    if (place.stage == stage::kScaleMask) place.stage.clear();
    if (place.stage == stage::kScores || place.stage == stage::kValues) {
      place.stage = stage::kScoresOrValues;
    }
    add(places[{phase, place}].*side,
        {row.number(column::kTotalNs).value_or(0), row.number(column::kInstances).value_or(0)});
  }
}

/// Sums the kernels of both sides. A stage that only one side has is added to the rest of its part.
SumsByPlace common_places(const CellPair& pair) {
  SumsByPlace places;
  add_kernels(places, *profiled_launch(pair.a), &SideSums::a);
  add_kernels(places, *profiled_launch(pair.b), &SideSums::b);
  SumsByPlace common;
  for (const auto& [key, sums] : places) {
    auto [phase, place] = key;
    if (sums.a.count <= 0 || sums.b.count <= 0) place.stage.clear();
    SideSums& common_sums = common[{phase, place}];
    add(common_sums.a, sums.a);
    add(common_sums.b, sums.b);
  }
  return common;
}

/// Returns the largest differences first, whatever their sign.
std::vector<PlaceDifference> sorted_differences(const SumsByPlace& places) {
  std::vector<PlaceDifference> rows;
  for (const auto& [key, sums] : places) {
    const auto& [phase, place] = key;
    const bool has_stages = std::ranges::any_of(places, [&key = key](const auto& entry) {
      const auto& [other_phase, other] = entry.first;
      return other_phase == key.first && other.part == key.second.part && !other.stage.empty();
    });
    const bool is_rest = place.stage.empty() && has_stages;
    rows.push_back({phase, (is_rest ? "rest of " : "") + place.words(), sums.a, sums.b});
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const auto& row) { return std::abs(row.change_ns()); });
  return rows;
}

/// The step with the largest extent of each precision is compared.
auto step_extent(const CellSpec& spec) {
  return std::tuple(spec.mode, parameter_count(spec.model.value_or(ModelShape{})), spec.context);
}

}  // namespace

std::vector<StepDifference> step_differences(const Matching& matching) {
  std::map<std::optional<Precision>, CellPair> chosen_pairs;
  for (const CellPair& pair : matching.pairs) {
    if (profiled_launch(pair.a) == nullptr || profiled_launch(pair.b) == nullptr) continue;
    CellPair& chosen = chosen_pairs[pair.a->spec.precision];
    const bool is_larger =
        chosen.a == nullptr || step_extent(chosen.a->spec) < step_extent(pair.a->spec);
    if (is_larger) chosen = pair;
  }
  std::vector<StepDifference> differences;
  for (const auto& [precision, pair] : chosen_pairs) {
    const CellSpec& spec = pair.a->spec;
    differences.push_back(
        {.spec = spec, .size = spec.size, .places = sorted_differences(common_places(pair))});
  }
  return differences;
}

}  // namespace labreport
