#include "analysis/kernel_differences.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/kernel_places.h"
#include "analysis/profiled_step.h"
#include "plan/editions.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// The same kernels on both sides.
struct Sums {
  KernelSum a = {}, b = {};

  bool on_both_sides() const { return a.kernels > 0 && b.kernels > 0; }
};
using Places = std::map<std::pair<std::string, KernelPlace>, Sums>;  // by phase

void add(KernelSum& sum, const KernelSum& more) {
  sum.ns += more.ns;
  sum.kernels += more.kernels;
}

/// Loss and optimizer are one part each, whatever ranges their code opens. What not every network
/// tells apart is one stage, or none.
KernelPlace place_in(const std::string& phase, const MeasuredRow& row) {
  if (phase == metric::kLoss || phase == metric::kOptimizer) return {};
  KernelPlace place = place_of(row.text(column::kModule), row.text(column::kOperation),
                               row.text(column::kOperator));
  if (place.stage == stage::kScaleMask) place.stage.clear();
  if (place.stage == stage::kScores || place.stage == stage::kValues)
    place.stage = stage::kProducts;
  return place;
}

void add_kernels(Places& places, const Launch& launch, KernelSum Sums::* side) {
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const std::string phase = row.text(column::kPhase);
    add(places[{phase, place_in(phase, row)}].*side,
        {row.number(column::kTotalNs).value_or(0), row.number(column::kInstances).value_or(0)});
  }
}

/// A stage that one side alone has becomes part of what is around it.
Places matched(const Places& places) {
  Places kept;
  for (const auto& [key, sums] : places) {
    auto [phase, place] = key;
    if (!sums.on_both_sides()) place.stage.clear();
    Sums& into = kept[{phase, place}];
    add(into.a, sums.a);
    add(into.b, sums.b);
  }
  return kept;
}

bool has_stages(const Places& places, const std::string& phase, const KernelPlace& whole) {
  return std::ranges::any_of(places, [&](const auto& entry) {
    const auto& [of, place] = entry.first;
    return of == phase && place.part == whole.part && place.stage != whole.stage;
  });
}

std::vector<PlaceDifference> by_change(const Places& places) {
  std::vector<PlaceDifference> rows;
  for (const auto& [key, sums] : places) {
    const auto& [phase, place] = key;
    const bool rest = place.stage.empty() && has_stages(places, phase, place);
    rows.push_back({phase, (rest ? "rest of " : "") + place.words(), sums.a, sums.b});
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const auto& place) { return std::abs(place.change()); });
  return rows;
}

StepDifference difference(const CellPair& pair) {
  Places places;
  add_kernels(places, *profiled_step(pair.a), &Sums::a);
  add_kernels(places, *profiled_step(pair.b), &Sums::b);
  return {pair.a->spec, pair.a->spec.size, by_change(matched(places))};
}

auto extent(const CellSpec& spec) {
  return std::tuple(spec.mode, parameter_count(spec.model.value_or(ModelShape{})), spec.context);
}

}  // namespace

std::vector<StepDifference> step_differences(const Matching& matching) {
  std::map<std::optional<Precision>, CellPair> fullest;
  for (const CellPair& pair : matching.pairs) {
    if (profiled_step(pair.a) == nullptr || profiled_step(pair.b) == nullptr) continue;
    CellPair& most = fullest[pair.a->spec.precision];
    if (most.a == nullptr || extent(most.a->spec) < extent(pair.a->spec)) most = pair;
  }
  std::vector<StepDifference> differences;
  for (const auto& [precision, pair] : fullest) differences.push_back(difference(pair));
  return differences;
}

}  // namespace labreport
