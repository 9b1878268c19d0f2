#include "experiments/common/phases.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/text.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// Prefers the longest mode that measured the phase, so that one process measured most phases.
std::vector<double> synced_phase(const TimingGroup& group, std::string_view phase) {
  for (const Mode mode : kModes | std::views::reverse) {
    const auto step = timed_launch(group, mode);
    if (!step) continue;
    std::vector<double> samples = step->ms_after_warmup(metric::kSynced, phase);
    if (!samples.empty()) return samples;
  }
  return {};
}

}  // namespace

const Launch* longest_profile(const RunView& view, const CellSpec& network) {
  const Cell* longest = nullptr;
  for (const Cell* cell : view.cells(CellKind::kKernels)) {
    const bool profiled_warm = cell->spec.steps != 0 && ok_launch(*cell) != nullptr;
    if (!profiled_warm || !same_setting(cell->spec, network)) continue;
    if (longest == nullptr || cell->spec.mode > longest->spec.mode) longest = cell;
  }
  return longest == nullptr ? nullptr : ok_launch(*longest);
}

std::optional<KernelTimes> kernel_times(const Launch* profile, std::string_view phase) {
  if (profile == nullptr) return std::nullopt;
  KernelTimes times;
  for (const MeasuredRow& row : measured_rows(*profile, metric::kKernels)) {
    if (row.text(column::kPhase) != phase) continue;
    const std::string kernel_class = row.text(column::kClass);
    double& sum_ms = kernel_class.starts_with("gemm") ? times.gemms_ms
                     : kernel_class == "copy"         ? times.copies_ms
                                                      : times.others_ms;
    const auto ns = row.number(column::kTotalNs);
    if (!ns) return std::nullopt;
    sum_ms += *ns / kNanosecondsPerMillisecond;
  }
  const bool usable = times.total_ms() > 0 && std::isfinite(times.total_ms());
  return usable ? std::optional(times) : std::nullopt;
}

const Launch* profiled_first_step(const RunView& view, const CellSpec& network,
                                  std::optional<Mode> mode) {
  const Cell* cell = view.cell(CellKind::kKernels, [&](const CellSpec& spec) {
    return spec.warmup == 0 && spec.steps == 0 && same_setting(spec, network) &&
           (!mode || spec.mode == mode);
  });
  return cell == nullptr ? nullptr : ok_launch(*cell);
}

std::vector<double> whole_step_times(const TimingGroup& group, Mode mode) {
  const auto step = timed_launch(group, mode);
  return step ? step->ms_after_warmup(metric::kStep, metric::kTotal) : std::vector<double>{};
}

PhaseTimes phase_times(const TimingGroup& group) {
  PhaseTimes times{synced_phase(group, metric::kForward), synced_phase(group, metric::kBackward),
                   synced_phase(group, metric::kOptimizer)};
  if (times.forward.empty()) times.forward = whole_step_times(group, Mode::kForward);
  return times;
}

std::string reasons_by_mode(const std::vector<std::pair<Mode, std::string>>& reasons) {
  std::vector<std::pair<std::string, std::vector<std::string>>> modes_by_reason;
  for (const auto& [mode, reason] : reasons) {
    if (reason.empty()) continue;
    const auto known = std::find_if(modes_by_reason.begin(), modes_by_reason.end(),
                                    [&](const auto& entry) { return entry.first == reason; });
    if (known == modes_by_reason.end()) {
      modes_by_reason.push_back({reason, {std::string(describe(mode))}});
    } else {
      known->second.emplace_back(describe(mode));
    }
  }
  std::vector<std::string> clauses;
  for (const auto& [reason, modes] : modes_by_reason) {
    clauses.push_back(join_words(modes) + ": " + reason);
  }
  return join(clauses, "; ");
}

std::string why_modes_are_missing(const TimingGroup& group) {
  std::vector<std::pair<Mode, std::string>> reasons;
  for (const auto& [mode, cell] : group.cells) {
    reasons.emplace_back(mode, reason_missing(group, mode));
  }
  return reasons_by_mode(reasons);
}

}  // namespace labreport
