#include "experiments/problems.h"

#include <algorithm>
#include <ranges>

#include "experiments/common/planning.h"
#include "experiments/common/selection.h"
#include "experiments/memory_profiling/presenters.h"

namespace labreport::memory_profiling {
namespace {

constexpr const char* kSize2025 = "2.7B";
constexpr const char* kSize2026 = "xl";
constexpr std::int64_t kWarmup = 2;  // AdamW's state and the allocator's blocks exist after these.

/// Returns the user's sizes; without them the edition's size, and all smaller ones in a full run,
/// in case it does not fit. The edition's size comes first.
std::vector<Size> sizes(const Planning& planning) {
  std::vector<Size> chosen = planning.axes.sizes;
  if (!planning.input.selection.sizes.empty()) return chosen;
  const char* name = planning.is_2026() ? kSize2026 : kSize2025;
  const auto edition_size = std::ranges::find(chosen, name, &Size::name);
  if (edition_size != chosen.end()) chosen.erase(edition_size + 1, chosen.end());
  std::ranges::reverse(chosen);
  if (!planning.is_full()) chosen.resize(1);
  return chosen;
}

std::vector<std::int64_t> contexts(const Planning& planning) {
  const auto& chosen = planning.input.selection.contexts;
  if (!chosen.empty() || !planning.is_full()) return planning.axes.contexts;
  if (planning.is_2026()) return {128, 2048};
  return {128, 256, 512};
}

std::vector<Precision> precisions(const Planning& planning) {
  const PlanInput& input = planning.input;
  if (!input.selection.precisions.empty()) return input.selection.precisions;
  if (!part_wanted(input, kProblem, "c")) return {Precision::kFp32};
  return {Precision::kFp32, input.half_precision};
}

CellSpec memory_cell(const Planning& planning, const Size& size, Precision precision) {
  CellSpec spec = timing_cell(planning.input, planning.axes, size);
  spec.kind = CellKind::kMemory;
  spec.precision = precision;
  spec.warmup = planning.input.selection.warmup.value_or(kWarmup);
  spec.steps = 1;
  return spec;
}

bool lacks_room(const Planning& planning, CellSpec spec, Mode mode) {
  spec.mode = mode;
  return did_not_fit(planning.so_far, spec);
}

/// Adds forward+backward too if the forward with grad fits and the training step does not.
void add_modes(Planning& planning, const CellSpec& spec) {
  for (const Mode mode : {Mode::kInference, Mode::kForward, Mode::kTrainStep}) {
    planning.add(spec, mode);
  }
  const bool needs_shorter_mode =
      lacks_room(planning, spec, Mode::kTrainStep) && !lacks_room(planning, spec, Mode::kForward);
  if (needs_shorter_mode) planning.add(spec, Mode::kForwardBackward);
}

/// Doubles the context until a step does not fit, and measures all modes at the longest that fits.
void add_longest_context(Planning& planning, CellSpec spec) {
  const auto longest_mode = last_wanted_mode(planning.input);
  if (!longest_mode) return;
  spec.mode = longest_mode;
  const ContextSearch search = planning.add_context_search(spec);
  const std::vector<std::int64_t> fit = search.longest_contexts();
  if (!search.last_failed || fit.empty()) return;
  spec.context = fit.back();
  add_modes(planning, spec);
}

void add_network(Planning& planning, const Size& size) {
  const bool searches_longest =
      planning.is_full() && planning.is_2026() && planning.input.selection.contexts.empty();
  for (const Precision precision : precisions(planning)) {
    CellSpec spec = memory_cell(planning, size, precision);
    for (const std::int64_t context : contexts(planning)) {
      spec.context = context;
      add_modes(planning, spec);
    }
    if (searches_longest) add_longest_context(planning, spec);
  }
}

/// Returns the step in the longest mode at the shortest context. If it does not fit, none does.
CellSpec probe_step(const Planning& planning, const Size& size) {
  CellSpec spec = memory_cell(planning, size, precisions(planning).front());
  spec.context = std::ranges::min(contexts(planning));
  spec.mode = last_wanted_mode(planning.input);
  return spec;
}

}  // namespace

std::vector<PlannedCell> plan(const PlanInput& input, const Run& so_far) {
  Planning planning{input, so_far, axes(input)};
  const std::vector<Size> chosen = sizes(planning);
  const bool sizes_by_user = !input.selection.sizes.empty();
  const std::size_t measured_anyway = sizes_by_user ? chosen.size() : 1;
  for (const Size& size : chosen | std::views::take(measured_anyway)) add_network(planning, size);
  if (sizes_by_user || !last_wanted_mode(input)) return planning.cells;
  if (!did_not_fit(so_far, probe_step(planning, chosen.front()))) return planning.cells;
  // A smaller size is measured in full once its probe is known to fit.
  for (const Size& size : chosen | std::views::drop(1)) {
    const CellSpec probe = probe_step(planning, size);
    planning.cells.push_back({probe, 1});
    const Cell* measured = so_far.find(cell_id(probe));
    if (measured != nullptr && ok_launch(*measured) != nullptr) add_network(planning, size);
    if (!did_not_fit(so_far, probe)) break;
  }
  return planning.cells;
}

}  // namespace labreport::memory_profiling
