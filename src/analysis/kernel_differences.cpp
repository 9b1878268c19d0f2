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

using Sum = KernelSum PlaceDifference::*;
using Places = std::map<std::pair<std::string, std::string>, PlaceDifference>;

void add(KernelSum& sum, const KernelSum& more) {
  sum.ns += more.ns;
  sum.kernels += more.kernels;
}

PlaceDifference& at(Places& places, const std::string& phase, const std::string& place) {
  return places.try_emplace({phase, place}, PlaceDifference{phase, place}).first->second;
}

/// Loss and optimizer are one part each, whatever ranges their code opens.
std::string place_in(const std::string& phase, const MeasuredRow& row) {
  if (phase == metric::kLoss || phase == metric::kOptimizer) return "";
  return place_of(row.text(column::kModule), row.text(column::kOperation),
                  row.text(column::kOperator));
}

void add_kernels(Places& places, const Launch& launch, Sum side) {
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const std::string phase = row.text(column::kPhase);
    add(at(places, phase, place_in(phase, row)).*side,
        {row.number(column::kTotalNs).value_or(0), row.number(column::kInstances).value_or(0)});
  }
}

bool on_both_sides(const PlaceDifference& place) {
  return place.a.kernels > 0 && place.b.kernels > 0;
}

/// Parts that one side alone has become part of what is around them.
Places matched(const Places& places) {
  Places kept;
  for (const auto& [key, place] : places) {
    const std::string around = on_both_sides(place) ? "" : place_around(place.place);
    PlaceDifference& into = at(kept, place.phase, around.empty() ? place.place : around);
    add(into.a, place.a);
    add(into.b, place.b);
  }
  return kept;
}

bool has_parts(const Places& places, const PlaceDifference& whole) {
  return std::ranges::any_of(places, [&](const auto& entry) {
    return entry.second.phase == whole.phase && place_around(entry.second.place) == whole.place;
  });
}

std::vector<PlaceDifference> by_change(const Places& places) {
  std::vector<PlaceDifference> rows;
  for (const auto& [key, place] : places) {
    rows.push_back(place);
    if (!place.place.empty() && has_parts(places, place))
      rows.back().place = "rest of " + place.place;
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const auto& place) { return std::abs(place.change()); });
  return rows;
}

StepDifference difference(const CellPair& pair) {
  Places places;
  add_kernels(places, *profiled_step(pair.a), &PlaceDifference::a);
  add_kernels(places, *profiled_step(pair.b), &PlaceDifference::b);
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
