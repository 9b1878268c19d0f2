#include "experiments/common/bound.h"

#include <algorithm>
#include <array>

#include "base/lists.h"
#include "experiments/common/phases.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

/// Returns a profile of the step's mode, or of a longer one with gradients if the step has
/// gradients. Returns null if no such profile ran.
const Launch* profile_of(const RunView& view, const CellSpec& step) {
  const bool has_grad = step.mode != Mode::kInference;
  const auto profiles = view.cells(CellKind::kKernels, [&](const CellSpec& spec) {
    return same_setting(spec, step) && spec.steps != 0 && spec.mode >= step.mode &&
           has_grad == (spec.mode != Mode::kInference);
  });
  for (const Cell* cell : profiles) {
    if (const Launch* launch = ok_launch(*cell)) return launch;
  }
  return nullptr;
}

/// Returns the median lag of the GPU in each of the phases but the loss, which is too short.
/// Phases are judged one by one, because a full launch queue makes the CPU wait and limits the lags
/// of later phases.
std::vector<double> lag_shares(const TimedLaunch& timed,
                               const std::vector<std::string_view>& phases) {
  std::vector<double> medians;
  std::vector<double> finished_ms;  // From each step's start until the GPU finished the phase.
  for (const auto phase : phases_of(Mode::kTrainStep)) {
    const auto durations_ms = timed.ms_after_warmup(metric::kEvent, phase);
    const auto enqueued_ms = timed.ms_after_warmup(metric::kEnqueue, phase);
    if (durations_ms.empty() || durations_ms.size() != enqueued_ms.size()) continue;
    finished_ms.resize(durations_ms.size(), 0);
    std::vector<double> shares;
    for (std::size_t i = 0; i < durations_ms.size(); ++i) {
      finished_ms[i] += durations_ms[i];
      if (durations_ms[i] > 0)
        shares.push_back((finished_ms[i] - enqueued_ms[i]) / durations_ms[i]);
    }
    const bool is_asked = std::ranges::find(phases, phase) != phases.end();
    if (is_asked && phase != metric::kLoss && !shares.empty()) medians.push_back(median(shares));
  }
  return medians;
}

TimeBound time_bound(const RunView& view, const TimedLaunch& timed,
                     const std::vector<std::string_view>& phases,
                     const std::vector<double>& times_ms) {
  const bool is_measured = !times_ms.empty() && median(times_ms) > 0;
  if (!is_measured || !view.on_gpu() || waits_for_gpu(*timed.launch)) return {};
  const Launch* profile = profile_of(view, *timed.spec);
  if (const auto costs =
          profile == nullptr ? std::nullopt : launch_costs(*profile, phases, times_ms))
    return {.costs = costs};
  const auto queued_ms = phases.size() == 1 ? timed.ms_after_warmup(metric::kEvent, phases.front())
                                            : std::vector<double>();
  return {.lag_shares = lag_shares(timed, phases),
          .queued_share = queued_ms.empty() ? std::nullopt
                                            : std::optional(median(queued_ms) / median(times_ms))};
}

/// Returns the bound of whole steps.
TimeBound step_bound(const RunView& view, const TimedLaunch& timed) {
  return time_bound(view, timed,
                    phases_of(timed.spec->mode.value_or(Mode::kForward), *timed.launch),
                    timed.ms_after_warmup(metric::kStep, metric::kTotal));
}

/// Returns the bound that all have, or mixed if they differ; nothing if there are none.
std::optional<Bound> joint_bound(const std::vector<Bound>& bounds) {
  if (bounds.empty()) return std::nullopt;
  const bool differ = std::ranges::any_of(bounds, [&](Bound b) { return b != bounds.front(); });
  return differ ? Bound::kMixed : bounds.front();
}

}  // namespace

std::optional<Bound> TimeBound::bound() const {
  if (costs) return costs->bound();
  if (queued_share.value_or(1) < kLaunchBoundBelow) return Bound::kLaunch;
  return joint_bound(each(
      lag_shares, [](double lag) { return lag < kWaitsBelow ? Bound::kLaunch : Bound::kDevice; }));
}

std::optional<Bound> NetworkBounds::bound() const {
  std::vector<Bound> bounds;
  for (const TimeBound* time : {&forward, &backward, &step}) {
    if (const auto known = time->bound()) bounds.push_back(*known);
  }
  return joint_bound(bounds);
}

bool NetworkBounds::is_profiled() const {
  return std::ranges::all_of(std::array{&forward, &backward, &step},
                             [](const TimeBound* time) { return time->costs || !time->bound(); });
}

std::optional<Bound> bound_at_end(const TimedLaunch& step) {
  const auto last_phase = phases_of(step.spec->mode.value_or(Mode::kTrainStep)).back();
  const auto total_ms = step.ms_after_warmup(metric::kStep, metric::kTotal);
  const auto enqueued_ms = step.ms_after_warmup(metric::kStep, metric::kEnqueue);
  const auto phase_ms = step.ms_after_warmup(metric::kEvent, last_phase);
  if (total_ms.empty() || enqueued_ms.empty() || phase_ms.empty() || median(phase_ms) <= 0)
    return std::nullopt;
  const double lag_ms = median(total_ms) - median(enqueued_ms);
  return lag_ms < kWaitsBelow * median(phase_ms) ? Bound::kMixed : Bound::kDevice;
}

NetworkBounds network_bounds(const RunView& view, const TimingGroup& group) {
  const auto longest = longest_timed_launch(group);
  if (!longest) return {};
  const PhaseTimes times = phase_times(group);
  const auto bound_of = [&](std::string_view phase, const std::vector<double>& times_ms) {
    return time_bound(view, *longest, {phase}, times_ms);
  };
  return {.forward = bound_of(metric::kForward, times.forward),
          .backward = bound_of(metric::kBackward, times.backward),
          .optimizer = bound_of(metric::kOptimizer, times.optimizer),
          .step = step_bound(view, *longest)};
}

}  // namespace labreport
