// Presents part (a): a pass's time by the profiler against its time by the timer.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/nsys_profile/presenters.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kCloseUpTo =
    0.02;  // Up to this difference, the finding gives a bound, "within 2 %".
constexpr double kMicroseconds = 1e3;  // In a millisecond.
constexpr double kMinIdleRise = 0.01;  // See `most_idle_of_shorter`.

std::optional<double> difference_of(const std::optional<double>& whole,
                                    const std::optional<double>& part) {
  return whole && part ? std::optional(*whole - *part) : std::nullopt;
}

/// One step by the timer and by the profiler, or the reason why it was not profiled.
struct TimerComparison {
  std::string profile;                ///< `KernelProfile::label`
  std::string step;                   ///< The step's mode.
  std::string full_name;              ///< `KernelProfile::full_name`
  std::string reason;                 ///< Why there are no times; empty if the step ran.
  std::vector<double> timer_ms = {};  ///< The times of the unprofiled steps.
  double timer_mean_ms = 0;
  double busy_ms = 0;                      ///< The time in which at least one kernel ran.
  std::optional<double> span_ms = {};      ///< From the first kernel's start to the last one's end.
  std::optional<double> profiled_ms = {};  ///< The profiled step by the host's clock.
  std::optional<double> launches = {};     ///< The number of kernels; empty on a CPU.
  Mode mode = Mode::kForward;
  std::vector<std::string> flags = {};

  /// Returns the busy time divided by the timer's mean, minus 1.
  double difference() const { return busy_ms / timer_mean_ms - 1; }
  double timer_variation() const { return summarize(timer_ms).coefficient_of_variation(); }
  /// True if the profiler shows clearly less time than the timer, and idle time explains it.
  bool profiler_shows_less() const {
    return difference() < -timer_variation() && idle_ms() && *idle_ms() > 0;
  }
  /// The time that the timer counts beside kernels.
  double rest_ms() const { return timer_mean_ms - busy_ms; }
  /// True if the gaps between kernels are long enough for all of `rest_ms()`. The profiler makes
  /// them longer, so `rest_ms()` itself is the GPU's idle time.
  bool gaps_explain() const {
    return launches.value_or(0) > 0 && gaps_ms().value_or(0) >= rest_ms();
  }
  double timer_range_ms() const {
    const auto [least, most] = std::ranges::minmax(timer_ms);
    return most - least;
  }
  /// True if the gaps explain a part of `rest_ms()`, and the scatter of the timer's steps the rest.
  bool scatter_explains() const {
    return launches.value_or(0) > 0 && gaps_ms() && !gaps_explain() &&
           timer_range_ms() >= rest_ms() - *gaps_ms();
  }
  bool agrees() const { return std::abs(difference()) <= timer_variation(); }
  std::optional<double> gaps_ms() const { return difference_of(span_ms, busy_ms); }
  /// The profiled step's time before its first kernel and after its last one.
  std::optional<double> outside_ms() const { return difference_of(profiled_ms, span_ms); }
  std::optional<double> idle_ms() const { return difference_of(profiled_ms, busy_ms); }
  std::optional<double> overhead_ms() const { return difference_of(profiled_ms, timer_mean_ms); }
};

Column<TimerComparison> step_column(const char* name, const char* title, const char* unit,
                                    std::function<Value(const TimerComparison&)> value,
                                    Notation notation = {}) {
  return {name, title, or_reason<TimerComparison>(std::move(value)), unit, notation};
}

const std::vector<Column<TimerComparison>>& step_columns() {
  static const std::vector<Column<TimerComparison>> columns{
      {"profile", "Profile", &TimerComparison::profile},
      {"step", "Step", &TimerComparison::step},
      step_column("timer", "Timer", "ms", [](const auto& s) { return Value::mean_of(s.timer_ms); }),
      step_column("busy", "Profiler (kernels busy)", "ms", &TimerComparison::busy_ms),
      step_column("difference", "Difference", "%", &TimerComparison::difference, kAsPercent),
      step_column("span", "First to last kernel", "ms", &TimerComparison::span_ms),
      step_column("profiled", "Profiled step", "ms", &TimerComparison::profiled_ms),
      step_column("gaps", "Gaps between kernels", "ms", &TimerComparison::gaps_ms),
      step_column("outside", "Before first, after last kernel", "ms", &TimerComparison::outside_ms),
      step_column("cost", "Profiler overhead", "ms", &TimerComparison::overhead_ms)};
  return columns;
}

std::optional<TimerComparison> compare_step(const KernelProfile& profile,
                                            const ProfiledStep& step) {
  const bool on_gpu = step.spec->device == DeviceKind::kCuda;
  const auto profile_ms = [&](auto name) { return step.value_ms(metric::kProfile, name); };
  const auto timer_ms = step.samples_ms(metric::kStep, metric::kTotal);
  const auto busy_ms = profile_ms(metric::kBusy);
  if (timer_ms.empty() || !busy_ms || mean(timer_ms) <= 0) return std::nullopt;
  const Mode mode = step.spec->mode.value_or(Mode::kForward);
  TimerComparison comparison{
      .profile = profile.label,
      .step = std::string(labreport::describe(mode)),
      .full_name = profile.full_name,
      .reason = "",
      .timer_ms = timer_ms,
      .timer_mean_ms = mean(timer_ms),
      .busy_ms = *busy_ms,
      .span_ms = profile_ms(metric::kSpan),
      .profiled_ms = profile_ms(metric::kStep),
      .launches =
          on_gpu ? single_number(*step.launch, metric::kProfile, metric::kKernels) : std::nullopt,
      .mode = mode};
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
    steps.push_back({profile.label, std::string(labreport::describe(profile.missing_mode)),
                     profile.full_name, profile.reason});
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

/// Returns the largest share of time without kernels in forward passes at most half as long as
/// `longer`. Returns nothing unless each share exceeds that of `longer` by `kMinIdleRise`.
std::optional<double> most_idle_of_shorter(const Profiles& profiles,
                                           const TimerComparison& longer) {
  double most_idle = 0;
  for (const TimerComparison& step : forward_passes(profiles.in_details)) {
    const bool is_shorter = 2 * step.timer_mean_ms <= longer.timer_mean_ms;
    if (!step.reason.empty() || step.mode > Mode::kForward || !is_shorter) continue;
    if (step.difference() > longer.difference() - kMinIdleRise) return std::nullopt;
    most_idle = std::max(most_idle, -step.difference());
  }
  return most_idle > 0 ? std::optional(most_idle) : std::nullopt;
}

Facts timer_sentence(const Profiles& profiles, const TimerComparison& step) {
  const double difference = std::abs(step.difference());
  const auto most_idle = most_idle_of_shorter(profiles, step);
  return Facts()
      .set("profile", step.full_name)
      .set("pass", step.mode <= Mode::kForward ? "forward pass" : labreport::describe(step.mode))
      .set("timer", step.timer_mean_ms, kThreeDigits)
      .set("busy", step.busy_ms, kThreeDigits)
      .set("difference", describe_change(1 + step.difference(), step.timer_variation(), kMoreThan))
      .flag("close", difference <= kCloseUpTo)
      .set("within", format_fixed(std::max(1.0, std::ceil(100 * difference)), 0))
      .when(
          "idle", step.gaps_explain(),
          Facts()
              .set("each", kMicroseconds * step.rest_ms() / step.launches.value_or(1), kThreeDigits)
              .set("launches", step.launches.value_or(0), kAsCount)
              .when("shorter", most_idle.has_value(), "emptiest",
                    format_percent(most_idle.value_or(0))))
      .when("scatter", step.scatter_explains(),
            Facts()
                .set("gaps", step.gaps_ms().value_or(0), kThreeDigits)
                .set("range", step.timer_range_ms(), kThreeDigits));
}

/// Returns the command that profiles the step under Nsight Systems. It records only the NVTX range
/// "measured", so that the warm-up steps are not in the trace.
std::string nsys_command(const RunView& view, const KernelProfile& profile) {
  const CellSpec& spec = *(profile.step ? profile.step : profile.inference)->spec;
  return "`nsys profile --trace=cuda,nvtx --capture-range=nvtx --nvtx-capture=measured "
         "--capture-range-end=stop --output=build/nsys-step " +
         command_for(view.run(), std::string(kProblem) + ".a", spec) + " --nvtx --out build/nsys`";
}

Facts timer_facts(const Profiles& profiles) {
  Facts facts = profiles.facts();
  const KernelProfile* profile = profiles.in_answers;
  const auto passes =
      profile == nullptr ? std::vector<TimerComparison>() : forward_passes({profile});
  const TimerComparison* pass =
      passes.empty() || !passes.front().reason.empty() ? nullptr : &passes.front();
  const char* condition = pass == nullptr               ? "nothing"
                          : pass->profiler_shows_less() ? "less"
                          : pass->agrees()              ? "agree"
                                                        : "unexplained";
  facts.choose({"nothing", "less", "agree", "unexplained"}, condition,
               pass == nullptr ? Facts() : timer_sentence(profiles, *pass));
  const bool has_command = profile != nullptr && profiles.view.on_gpu();
  return facts.when(
      "command", has_command,
      has_command ? Facts().set_markdown("nsys", nsys_command(profiles.view, *profile)) : Facts());
}

}  // namespace

PartContent timer_vs_profiler(const Profiles& profiles) {
  PartContent part;
  part.facts = timer_facts(profiles);
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
