#include "analysis/kernel_differences.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/kernel_places.h"
#include "base/text.h"
#include "plan/editions.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// Returns the first successful launch of a cell that profiled a warm step; null if there is none.
const Launch* profiled_step(const Cell* cell) {
  if (cell == nullptr || cell->spec.kind != CellKind::kKernels || cell->spec.steps == 0) {
    return nullptr;
  }
  const auto ok = std::ranges::find_if(cell->launches,
                                       [](const Launch& launch) { return is_ok(launch.outcome); });
  return ok == cell->launches.end() ? nullptr : &*ok;
}

/// Sums over the same part of the network on both sides.
struct Sums {
  KernelSum a = {}, b = {};
};
using Places = std::map<std::pair<std::string, KernelPlace>, Sums>;  // keys are phase and place

void add(KernelSum& sum, const KernelSum& more) {
  sum.ns += more.ns;
  sum.kernels += more.kernels;
}

/// Loss and optimizer are one part each, whatever ranges their code opens. QKᵀ and A·V become one
/// stage, and scale and mask no stage, because not every network separates these.
void add_kernels(Places& places, const Launch& launch, KernelSum Sums::* side) {
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const std::string phase = row.text(column::kPhase);
    KernelPlace place;
    if (phase != metric::kLoss && phase != metric::kOptimizer) {
      place = place_of(row.text(column::kModule), row.text(column::kOperation),
                       row.text(column::kOperator));
    }
    if (place.stage == stage::kScaleMask) place.stage.clear();
    if (place.stage == stage::kScores || place.stage == stage::kValues) {
      place.stage = stage::kProducts;
    }
    add(places[{phase, place}].*side,
        {row.number(column::kTotalNs).value_or(0), row.number(column::kInstances).value_or(0)});
  }
}

/// Sums the kernels of both sides. A stage that only one side has is added to the rest of its part.
Places common_places(const CellPair& pair) {
  Places places;
  add_kernels(places, *profiled_step(pair.a), &Sums::a);
  add_kernels(places, *profiled_step(pair.b), &Sums::b);
  Places common;
  for (const auto& [key, sums] : places) {
    auto [phase, place] = key;
    if (sums.a.kernels <= 0 || sums.b.kernels <= 0) place.stage.clear();
    Sums& both = common[{phase, place}];
    add(both.a, sums.a);
    add(both.b, sums.b);
  }
  return common;
}

std::vector<PlaceDifference> by_change(const Places& places) {
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
                           [](const auto& place) { return std::abs(place.change()); });
  return rows;
}

auto extent(const CellSpec& spec) {
  return std::tuple(spec.mode, parameter_count(spec.model.value_or(ModelShape{})), spec.context);
}

constexpr double kNoticedShare = 0.05;  // of a step's kernel time, by a class of kernels
constexpr std::size_t kMostWords = 4;   // of a kernel family's name

/// A word such as "128x64" starts the sizes in a kernel's name.
bool is_tile(const std::string& word) {
  const std::size_t times = word.find('x');
  const auto digit = [&](std::size_t i) {
    return i < word.size() && std::isdigit(static_cast<unsigned char>(word[i])) != 0;
  };
  return word.starts_with("tilesize") ||
         (times != std::string::npos && times > 0 && digit(times - 1) && digit(times + 1));
}

struct LongestKernel {
  std::string name;
  double share = 0;        ///< Share of the step's kernel time.
  double class_share = 0;  ///< The class's share of that time.
};
using ByClass = std::map<std::string, LongestKernel>;

ByClass longest_kernels(const Launch& launch) {
  std::map<std::string, std::map<double, double>> times;
  double whole = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const double time = row.number(column::kTotalNs).value_or(0);
    times[row.text(column::kClass)][row.number(column::kKernel).value_or(-1)] += time;
    whole += time;
  }
  ByClass longest;
  if (whole <= 0) return longest;
  std::map<double, std::string> names;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernelNames)) {
    if (const auto id = row.number(column::kId)) names[*id] = row.text(column::kName);
  }
  for (const auto& [kernel_class, kernels] : times) {
    LongestKernel& entry = longest[kernel_class];
    for (const auto& [id, time] : kernels) {
      entry.class_share += time / whole;
      if (time / whole > entry.share) entry = {names[id], time / whole, entry.class_share};
    }
  }
  return longest;
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
  for (const auto& [precision, pair] : fullest) {
    const CellSpec& spec = pair.a->spec;
    differences.push_back(
        {.spec = spec, .size = spec.size, .places = by_change(common_places(pair))});
  }
  return differences;
}

std::string kernel_family(std::string_view name) {
  name = name.substr(0, name.find_first_of("<("));
  if (const auto space = name.rfind(' '); space != std::string_view::npos) {
    name.remove_prefix(space + 1);
  }
  if (const auto colon = name.rfind("::"); colon != std::string_view::npos) {
    return std::string(name.substr(colon + 2));
  }
  std::vector<std::string> words;
  for (const std::string& word : split(name, '_')) {
    if (is_tile(word) || words.size() == kMostWords) break;
    words.push_back(word);
  }
  return join(words, "_");
}

std::vector<KernelChange> kernel_changes(const Matching& matching) {
  std::vector<KernelChange> changes;
  for (const auto& [a, b] : matching.pairs) {
    const Launch* step_a = profiled_step(a);
    const Launch* step_b = profiled_step(b);
    if (step_a == nullptr || step_b == nullptr) continue;
    const ByClass longest_in_b = longest_kernels(*step_b);
    for (const auto& [kernel_class, in_a] : longest_kernels(*step_a)) {
      const auto in_b = longest_in_b.find(kernel_class);
      if (in_b == longest_in_b.end()) continue;
      if (std::max(in_a.class_share, in_b->second.class_share) < kNoticedShare) continue;
      if (kernel_family(in_a.name) == kernel_family(in_b->second.name)) continue;
      changes.push_back({.spec = a->spec,
                         .size = a->spec.size,
                         .kernel_class = kernel_class,
                         .a = in_a.name,
                         .b = in_b->second.name,
                         .share_a = in_a.share,
                         .share_b = in_b->second.share});
    }
  }
  return changes;
}

}  // namespace labreport
