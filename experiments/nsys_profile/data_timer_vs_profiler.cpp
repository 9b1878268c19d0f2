// Presents part (a): a pass's time by the profiler against its time by the timer.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/launch_costs.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

/// One step by the timer and by the profiler, or the reason why it was not profiled.
struct TimerComparison {
  std::string profile;  ///< `KernelProfile::label`
  Mode mode = Mode::kForward;
  std::string full_name;                  ///< `KernelProfile::full_name`
  std::string reason;                     ///< Why there are no times; empty if the step ran.
  std::vector<double> timer_ms = {};      ///< The times of the unprofiled steps.
  double busy_ms = 0;                     ///< The time in which at least one kernel ran.
  std::optional<double> span_ms = {};     ///< From the first kernel's start to the last one's end.
  std::optional<LaunchCosts> costs = {};  ///< Empty on a CPU.
  std::vector<std::string> flags = {};

  std::string timer_range() const {
    const auto [least_ms, most_ms] = std::ranges::minmax(timer_ms);
    return from_to(format_significant(least_ms, 3), format_significant(most_ms, 3));
  }
  double difference() const { return busy_ms / mean(timer_ms) - 1; }
  /// The time between kernels of the profiled step.
  std::optional<double> gaps_ms() const {
    return span_ms ? std::optional(*span_ms - busy_ms) : std::nullopt;
  }
  /// True if neither a launch's idle time of the GPU nor its time of the CPU explains the timer's
  /// time: the profiled step took another time than the timed ones.
  bool passes_differ() const { return gaps_ms().value_or(-1) >= 0 && !idle_us() && !cpu_us(); }
  /// The GPU's idle time a kernel in the timed steps. Empty if the gaps between kernels, which the
  /// profiler makes longer, are too short for all that the timer counts beside kernels.
  std::optional<double> idle_us() const {
    const bool explained = costs && gaps_ms().value_or(0) >= mean(timer_ms) - busy_ms;
    return explained ? costs->gpu_idle_us() : std::nullopt;
  }
  std::optional<double> cpu_us() const { return costs ? costs->cpu_us() : std::nullopt; }
};

Column<TimerComparison> step_column(const char* name, const char* title, const char* unit,
                                    std::function<Value(const TimerComparison&)> value,
                                    Notation notation = {}) {
  return {name, title, or_reason<TimerComparison>(std::move(value)), unit, notation};
}

const std::vector<Column<TimerComparison>>& step_columns() {
  static const std::vector<Column<TimerComparison>> columns{
      {"profile", "Profile", &TimerComparison::profile},
      {"step", "Step", [](const auto& step) { return labreport::describe(step.mode); }},
      step_column("timer", "Timer", "ms", [](const auto& s) { return Value::mean_of(s.timer_ms); }),
      step_column("range", "Timer, lowest to highest", "ms",
                  [](const auto& s) { return Value(s.timer_range()); }),
      step_column("busy", "Profiler, busy", "ms", &TimerComparison::busy_ms),
      step_column("difference", "Difference", "%", &TimerComparison::difference, kAsPercent),
      step_column("span", "First to last, profiled", "ms", &TimerComparison::span_ms),
      step_column("gaps", "Gaps, profiled", "ms", &TimerComparison::gaps_ms),
      step_column("idle", "GPU idle a kernel", "µs", &TimerComparison::idle_us, kThreeDigits),
      step_column("cpu", "CPU a launch", "µs", &TimerComparison::cpu_us, kThreeDigits)};
  return columns;
}

std::optional<TimerComparison> compare_step(const KernelProfile& profile,
                                            const ProfiledStep& step) {
  const auto timer_ms = step.samples_ms(metric::kStep, metric::kTotal);
  const auto busy_ms = step.value_ms(metric::kProfile, metric::kBusy);
  if (timer_ms.empty() || !busy_ms || mean(timer_ms) <= 0) return std::nullopt;
  const Mode mode = step.spec->mode.value_or(Mode::kForward);
  TimerComparison comparison{.profile = profile.label,
                             .mode = mode,
                             .full_name = profile.full_name,
                             .reason = "",
                             .timer_ms = timer_ms,
                             .busy_ms = *busy_ms,
                             .span_ms = step.value_ms(metric::kProfile, metric::kSpan)};
  if (step.spec->device == DeviceKind::kCuda && !waits_for_gpu(*step.launch))
    comparison.costs = launch_costs(*step.launch, phases_of(mode, *step.launch), timer_ms);
  if (comparison.costs) {
    comparison.costs->kernels_ms = *busy_ms;
    comparison.costs->time_ms = mean(timer_ms);
  }
  if (step.is_perturbed()) comparison.flags.emplace_back("perturbed by the profiler");
  return comparison;
}

/// Returns the profile's steps. Inference comes first, a step without numbers last.
std::vector<TimerComparison> compare_steps(const KernelProfile& profile) {
  std::vector<TimerComparison> steps;
  for (const auto* step : {&profile.inference, &profile.step}) {
    auto comparison = *step ? compare_step(profile, **step) : std::nullopt;
    if (comparison) steps.push_back(std::move(*comparison));
  }
  if (!profile.reason.empty()) {
    steps.push_back({profile.label, profile.missing_mode, profile.full_name, profile.reason});
  }
  return steps;
}

/// Returns each profile's forward pass, or else its longer step, or else the step without numbers.
std::vector<TimerComparison> forward_passes(const std::vector<const KernelProfile*>& profiles) {
  std::vector<TimerComparison> passes;
  for (const KernelProfile* profile : profiles) {
    const auto steps = compare_steps(*profile);
    if (steps.empty()) continue;
    passes.push_back(steps.front());
    if (!passes.back().reason.empty()) passes.back().reason = profile->why_missing(Pass::kForward);
  }
  return passes;
}

double timers_excess(const TimerComparison& step) { return mean(step.timer_ms) / step.busy_ms - 1; }

bool are_same(const TimerComparison& step) { return std::abs(timers_excess(step)) <= 0.001; }

/// Says how much longer the timer's pass takes: "2.4 % more", or "the same within 0.1 %".
std::string excess_words(const TimerComparison& step) {
  const double excess = timers_excess(step);
  if (are_same(step)) return "the same within 0.1 %";
  return format_percent(std::abs(excess)) + (excess > 0 ? " % more" : " % less");
}

Facts timer_sentences(const TimerComparison& step) {
  constexpr Notation kFourDigits{Notation::kSignificant, 4};  // They show differences below 1 %.
  return Facts()
      .set("profile", step.full_name)
      .set("pass", step.mode <= Mode::kForward ? "forward pass" : labreport::describe(step.mode))
      .set("timer", mean(step.timer_ms), kFourDigits)
      .set("busy", step.busy_ms, kFourDigits)
      .set("more", excess_words(step))
      .when("idle", step.idle_us().has_value(),
            Facts()
                .set("launches", step.costs ? step.costs->launches : 0, kAsCount)
                .set("each", step.idle_us(), kThreeDigits))
      .when("differ", step.passes_differ() && !are_same(step),
            Facts()
                .set("span", step.span_ms, kThreeDigits)
                .set("gaps", step.gaps_ms(), kThreeDigits)
                .set("least_to_most", step.timer_range()))
      .when("launch_bound", step.cpu_us().has_value(),
            Facts()
                .set("cpu", step.cpu_us(), kThreeDigits)
                .set("mean", step.costs ? step.costs->mean_kernel_us() : 0, kThreeDigits));
}

/// Returns the command that profiles the step under Nsight Systems. It records only the NVTX range
/// "measured", so that the warm-up steps are not in the trace.
std::string nsys_command(const RunView& view, const KernelProfile& profile) {
  const CellSpec& spec = *(profile.step ? profile.step : profile.inference)->spec;
  return "`nsys profile --trace=cuda,nvtx --capture-range=nvtx --nvtx-capture=measured "
         "--capture-range-end=stop --output=build/nsys-step " +
         command_for(view.run(), std::string(kProblem) + ".a", spec) + " --nvtx --out build/nsys`";
}

}  // namespace

PartContent timer_vs_profiler(const Profiles& profiles) {
  const KernelProfile* profile = profiles.in_answers;
  const auto passes =
      profile == nullptr ? std::vector<TimerComparison>() : forward_passes({profile});
  PartContent part;
  part.has_numbers = !passes.empty() && passes.front().reason.empty();
  part.facts = profiles.facts();
  if (part.has_numbers) part.facts.add(timer_sentences(passes.front()));
  const bool has_command = profile != nullptr && profiles.view.on_gpu();
  part.facts.when(
      "command", has_command,
      has_command ? Facts().set_markdown("nsys", nsys_command(profiles.view, *profile)) : Facts());
  std::vector<TimerComparison> every_step;
  for (const KernelProfile* profile : profiles.in_details)
    std::ranges::move(compare_steps(*profile), std::back_inserter(every_step));
  part.datasets = {make_dataset("steps", step_columns(), forward_passes(profiles.in_tables)),
                   make_dataset("every-step", step_columns(), every_step)};
  std::vector<const Cell*> cells;
  for (const KernelProfile& profile : profiles.all)
    std::ranges::copy(profile.cells, std::back_inserter(cells));
  part.details.tables = {command_table(profiles.view.run(), std::string(kProblem) + ".a", cells)};
  return part;
}

}  // namespace labreport::nsys_profile
