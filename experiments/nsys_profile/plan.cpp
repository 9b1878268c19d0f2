#include "experiments/problems.h"

#include <algorithm>
#include <set>

#include "experiments/common/planning.h"
#include "experiments/common/selection.h"
#include "experiments/nsys_profile/presenters.h"

namespace labreport::nsys_profile {
namespace {

constexpr std::int64_t kContexts2025[]{128, 256, 512, 1024};
constexpr const char* kSizes2026[]{"small", "xl"};
constexpr std::int64_t kSteps = 5;  // Unprofiled steps, which the profile is compared with.

Planning begin(const PlanInput& input, const Run& so_far) {
  Planning planning{input, so_far, axes(input)};
  const bool full = planning.is_full();
  planning.axes.warmup = input.selection.warmup.value_or(full ? 5 : 2);
  planning.axes.steps = input.selection.steps.value_or(full ? kSteps : 3);
  if (full && planning.is_2026() && input.selection.sizes.empty()) {
    std::erase_if(planning.axes.sizes, [](const Size& size) {
      return std::ranges::find(kSizes2026, size.name) == std::end(kSizes2026);
    });
  }
  return planning;
}

/// Adds inference and the train step, and a shorter step if the train step does not fit.
void add_profile(Planning& planning, CellSpec spec, std::int64_t context) {
  spec.context = context;
  planning.add(spec, Mode::kInference);
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    spec.mode = mode;
    planning.add(spec, mode);
    if (mode_wanted(planning.input, mode) && !did_not_fit(planning.so_far, spec)) return;
  }
}

/// Tries each context once the step at the next shorter one fits; adds inference at the three
/// longest whose step fits.
void add_doubled(Planning& planning, CellSpec spec) {
  spec.mode = longest_wanted_mode(planning.input);
  const Doubling doubling = planning.add_doubled(spec);
  if (!doubling.last_failed) return;
  for (const std::int64_t context : doubling.longest_contexts()) {
    spec.context = context;
    if (spec.mode != Mode::kInference) planning.add(spec, Mode::kInference);
  }
}

/// Empty if the contexts are still to be found by doubling.
std::vector<std::int64_t> contexts(const Planning& planning, Precision precision) {
  const Selection& selection = planning.input.selection;
  const std::int64_t reference = planning.input.edition.reference_context;
  if (!planning.is_full()) return planning.axes.contexts;
  if (!selection.contexts.empty()) {
    // A 16-bit format that the user did not ask for is profiled at the reference context only.
    const bool by_user = precision == Precision::kFp32 || !selection.precisions.empty();
    if (by_user) return selection.contexts;
    return {reference};
  }
  if (precision != Precision::kFp32) return {reference};
  if (planning.is_2026()) return {};
  return {std::begin(kContexts2025), std::end(kContexts2025)};
}

bool wants_reference(const Planning& planning) {
  const auto& chosen = planning.input.selection.contexts;
  return chosen.empty() ||
         std::ranges::find(chosen, planning.input.edition.reference_context) != chosen.end();
}

std::vector<Precision> precisions(const Planning& planning) {
  const Selection& selection = planning.input.selection;
  if (!selection.precisions.empty()) return selection.precisions;
  const bool both = planning.is_full() && wants_reference(planning);
  if (both) return {Precision::kFp32, planning.input.half};
  return {Precision::kFp32};
}

void add_network(Planning& planning, const Size& size, Precision precision) {
  CellSpec spec = timing_cell(planning.input, planning.axes, size);
  spec.kind = CellKind::kKernels;
  spec.precision = precision;
  const std::vector<std::int64_t> chosen = contexts(planning, precision);
  if (chosen.empty()) add_doubled(planning, spec);
  for (const std::int64_t context : chosen) add_profile(planning, spec, context);
}

/// At one context, the smallest and the largest size keep a timeline of the kernels of each step
/// with grad: the timelines of all profiles would be most of a run's bytes.
void keep_traces(Planning& planning) {
  const auto by_size = [](const CellSpec& spec) { return parameter_count(*spec.model); };
  const std::int64_t reference = planning.input.edition.reference_context;
  const auto& chosen = planning.axes.contexts;
  const auto context = wants_reference(planning) && planning.is_full() ? reference : chosen.back();
  std::set<std::int64_t> sizes;
  for (const PlannedCell& cell : planning.cells) sizes.insert(by_size(cell.spec));
  for (PlannedCell& cell : planning.cells) {
    const std::int64_t size = by_size(cell.spec);
    const bool outermost = size == *sizes.begin() || size == *sizes.rbegin();
    cell.gpu_trace =
        outermost && cell.spec.context == context && cell.spec.mode != Mode::kInference;
  }
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  Planning planning = begin(input, so_far);
  for (const Precision precision : precisions(planning)) {
    for (const Size& size : planning.axes.sizes) add_network(planning, size, precision);
  }
  keep_traces(planning);
  return planning.cells;
}

}  // namespace labreport::nsys_profile
