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
constexpr std::int64_t kUnprofiledSteps = 5;  // Their mean is compared with the profiled step.

/// Chooses sizes and numbers of steps.
Planning begin_planning(const PlanInput& input, const Run& so_far) {
  Planning planning{input, so_far, axes(input)};
  const bool is_full = planning.is_full();
  planning.axes.warmup = input.selection.warmup.value_or(is_full ? 5 : 2);
  planning.axes.steps = input.selection.steps.value_or(is_full ? kUnprofiledSteps : 3);
  if (is_full && planning.is_2026() && input.selection.sizes.empty()) {
    std::erase_if(planning.axes.sizes, [](const Size& size) {
      return std::ranges::find(kSizes2026, size.name) == std::end(kSizes2026);
    });
  }
  return planning;
}

/// Adds inference and a training step, or a shorter step if the training step does not fit.
void add_context(Planning& planning, CellSpec spec, std::int64_t context) {
  spec.context = context;
  planning.add(spec, Mode::kInference);
  for (const Mode mode : {Mode::kTrainStep, Mode::kForwardBackward, Mode::kForward}) {
    spec.mode = mode;
    planning.add(spec, mode);
    if (mode_wanted(planning.input, mode) && !did_not_fit(planning.so_far, spec)) return;
  }
}

/// Adds steps at doubled contexts until one fails, then inference at the three longest that ran.
void add_doubled_contexts(Planning& planning, CellSpec spec) {
  spec.mode = last_wanted_mode(planning.input);
  const ContextSearch search = planning.add_context_search(spec);
  if (!search.last_failed) return;
  for (const std::int64_t context : search.longest_contexts()) {
    spec.context = context;
    if (spec.mode != Mode::kInference) planning.add(spec, Mode::kInference);
  }
}

/// Returns the contexts to profile. Empty if a search by doubling finds them.
std::vector<std::int64_t> contexts(const Planning& planning, Precision precision) {
  const Selection& selection = planning.input.selection;
  const std::int64_t reference = planning.input.edition.reference_context;
  if (!planning.is_full()) return planning.axes.contexts;
  if (!selection.contexts.empty()) {
    // A 16-bit format that the user did not ask for is profiled at the reference context only.
    const bool user_wants_precision =
        precision == Precision::kFp32 || !selection.precisions.empty();
    if (user_wants_precision) return selection.contexts;
    return {reference};
  }
  if (precision != Precision::kFp32) return {reference};
  if (planning.is_2026()) return {};
  return {std::begin(kContexts2025), std::end(kContexts2025)};
}

/// True unless the user left out the reference context.
bool wants_reference(const Planning& planning) {
  const auto& selected = planning.input.selection.contexts;
  return selected.empty() ||
         std::ranges::find(selected, planning.input.edition.reference_context) != selected.end();
}

std::vector<Precision> precisions(const Planning& planning) {
  const Selection& selection = planning.input.selection;
  if (!selection.precisions.empty()) return selection.precisions;
  const bool adds_half = planning.is_full() && wants_reference(planning);
  if (adds_half) return {Precision::kFp32, planning.input.half_precision};
  return {Precision::kFp32};
}

void add_network(Planning& planning, const Size& size, Precision precision) {
  CellSpec spec = timing_cell(planning.input, planning.axes, size);
  spec.kind = CellKind::kKernels;
  spec.precision = precision;
  const std::vector<std::int64_t> fixed_contexts = contexts(planning, precision);
  if (fixed_contexts.empty()) add_doubled_contexts(planning, spec);
  for (const std::int64_t context : fixed_contexts) add_context(planning, spec, context);
}

/// Keeps a timeline of all kernels for the smallest and the largest size's steps with gradients, at
/// one context. The timelines of all steps would be most of a run's bytes.
void keep_traces(Planning& planning) {
  const auto parameters = [](const CellSpec& spec) { return parameter_count(*spec.model); };
  const std::int64_t reference = planning.input.edition.reference_context;
  const auto context =
      wants_reference(planning) && planning.is_full() ? reference : planning.axes.contexts.back();
  std::set<std::int64_t> counts;
  for (const PlannedCell& cell : planning.cells) counts.insert(parameters(cell.spec));
  for (PlannedCell& cell : planning.cells) {
    const std::int64_t count = parameters(cell.spec);
    const bool smallest_or_largest = count == *counts.begin() || count == *counts.rbegin();
    cell.gpu_trace =
        smallest_or_largest && cell.spec.context == context && cell.spec.mode != Mode::kInference;
  }
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  Planning planning = begin_planning(input, so_far);
  for (const Precision precision : precisions(planning)) {
    for (const Size& size : planning.axes.sizes) add_network(planning, size, precision);
  }
  keep_traces(planning);
  return planning.cells;
}

}  // namespace labreport::nsys_profile
