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

/// Returns the cell's first successful launch. Null if there is none, or if the cell does not
/// profile a warm step.
const Launch* profiled_launch(const Cell* cell) {
  if (cell == nullptr || cell->spec.kind != CellKind::kKernels || cell->spec.steps == 0) {
    return nullptr;
  }
  const auto ok = std::ranges::find_if(cell->launches,
                                       [](const Launch& launch) { return is_ok(launch.outcome); });
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

// Classes of kernels with a smaller fraction of both steps' kernel times are not compared.
constexpr double kMinClassShare = 0.05;
constexpr std::size_t kMaxFamilyWords = 4;

/// True for a word such as "128x64" or "tilesize128", before which a kernel's family ends.
bool is_tile_size(const std::string& word) {
  const std::size_t times_sign = word.find('x');
  const auto is_digit_at = [&](std::size_t i) {
    return i < word.size() && std::isdigit(static_cast<unsigned char>(word[i])) != 0;
  };
  return word.starts_with("tilesize") ||
         (times_sign != std::string::npos && times_sign > 0 && is_digit_at(times_sign - 1) &&
          is_digit_at(times_sign + 1));
}

/// The longest kernel of a class. Shares are fractions of the step's kernel time.
struct LongestKernel {
  std::string name;
  double share = 0;
  double class_share = 0;  ///< The share of all kernels of the class together.
};
using LongestByClass = std::map<std::string, LongestKernel>;

LongestByClass longest_kernels(const Launch& launch) {
  std::map<std::string, std::map<double, double>> ns_by_class_and_id;
  double step_ns = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernels)) {
    const double ns = row.number(column::kTotalNs).value_or(0);
    ns_by_class_and_id[row.text(column::kClass)][row.number(column::kKernel).value_or(-1)] += ns;
    step_ns += ns;
  }
  LongestByClass longest;
  if (step_ns <= 0) return longest;
  std::map<double, std::string> names;
  for (const MeasuredRow& row : measured_rows(launch, metric::kKernelNames)) {
    if (const auto id = row.number(column::kId)) names[*id] = row.text(column::kName);
  }
  for (const auto& [kernel_class, kernels] : ns_by_class_and_id) {
    LongestKernel& kernel = longest[kernel_class];
    for (const auto& [id, ns] : kernels) {
      kernel.class_share += ns / step_ns;
      if (ns / step_ns > kernel.share) kernel = {names[id], ns / step_ns, kernel.class_share};
    }
  }
  return longest;
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
    if (is_tile_size(word) || words.size() == kMaxFamilyWords) break;
    words.push_back(word);
  }
  return join(words, "_");
}

std::vector<KernelChange> kernel_changes(const Matching& matching) {
  std::vector<KernelChange> changes;
  for (const auto& [a, b] : matching.pairs) {
    const Launch* launch_a = profiled_launch(a);
    const Launch* launch_b = profiled_launch(b);
    if (launch_a == nullptr || launch_b == nullptr) continue;
    const LongestByClass longest_in_b = longest_kernels(*launch_b);
    for (const auto& [kernel_class, longest_a] : longest_kernels(*launch_a)) {
      const auto found = longest_in_b.find(kernel_class);
      if (found == longest_in_b.end()) continue;
      const LongestKernel& longest_b = found->second;
      if (std::max(longest_a.class_share, longest_b.class_share) < kMinClassShare) continue;
      if (kernel_family(longest_a.name) == kernel_family(longest_b.name)) continue;
      changes.push_back({.spec = a->spec,
                         .size = a->spec.size,
                         .kernel_class = kernel_class,
                         .kernel_a = longest_a.name,
                         .kernel_b = longest_b.name,
                         .share_a = longest_a.share,
                         .share_b = longest_b.share});
    }
  }
  return changes;
}

}  // namespace labreport
