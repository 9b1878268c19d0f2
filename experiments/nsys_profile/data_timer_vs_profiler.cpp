// Part (a): the profiler's time of a pass against the timer's.
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

constexpr double kClose = 0.02;  // Up to this difference, the text gives a bound, "within 2 %".
constexpr double kLess = 0.01;   // Each shorter pass must be emptier by this share of its time.

std::optional<double> minus(const std::optional<double>& whole, const std::optional<double>& part) {
  return whole && part ? std::optional(*whole - *part) : std::nullopt;
}

/// One step by the timer and by the profiler, in ms, or why it was not profiled.
struct TimedStep {
  std::string profile, step, words, missing;
  std::vector<double> timer = {};       ///< Times of the unprofiled steps.
  double mean = 0;                      ///< The mean of `timer`.
  double busy = 0;                      ///< Time in which some kernel ran.
  std::optional<double> span = {};      ///< The first kernel's start to the last one's end.
  std::optional<double> profiled = {};  ///< The profiled step, by the host's clock.
  Mode mode = Mode::kForward;
  std::vector<std::string> flags = {};

  double difference() const { return busy / mean - 1; }  ///< Relative to the timer's mean.
  double spread() const { return summarize(timer).coefficient_of_variation(); }
  /// Timer and profiler agree unless they differ by more than the timer's own steps vary.
  bool is_less() const { return difference() < -spread() && idle() && *idle() > 0; }
  bool agrees() const { return std::abs(difference()) <= spread(); }
  std::optional<double> gaps() const { return minus(span, busy); }
  /// The profiled step's time before its first kernel and after its last one.
  std::optional<double> outside() const { return minus(profiled, span); }
  std::optional<double> idle() const { return minus(profiled, busy); }
  std::optional<double> cost() const { return minus(profiled, mean); }
};

Column<TimedStep> step_column(const char* name, const char* title, const char* unit,
                              std::function<Value(const TimedStep&)> number,
                              Notation notation = {}) {
  return {name, title, or_reason<TimedStep>(std::move(number)), unit, notation};
}

const std::vector<Column<TimedStep>>& step_columns() {
  static const std::vector<Column<TimedStep>> columns{
      {"profile", "Profile", &TimedStep::profile},
      {"step", "Step", &TimedStep::step},
      step_column("timer", "Timer", "ms", [](const auto& s) { return Value::mean_of(s.timer); }),
      step_column("busy", "Profiler (kernels busy)", "ms", &TimedStep::busy),
      step_column("difference", "Difference", "%", &TimedStep::difference, {Notation::kPercent}),
      step_column("span", "First to last kernel", "ms", &TimedStep::span),
      step_column("profiled", "Profiled step", "ms", &TimedStep::profiled),
      step_column("gaps", "Gaps between kernels", "ms", &TimedStep::gaps),
      step_column("outside", "Before first, after last kernel", "ms", &TimedStep::outside),
      step_column("cost", "Profiler overhead", "ms", &TimedStep::cost)};
  return columns;
}

std::optional<TimedStep> timed_step(const Profile& profile, const ProfiledStep& step) {
  const auto of_profile = [&](std::string_view name) { return step.value(metric::kProfile, name); };
  const auto samples = step.samples(metric::kStep, metric::kTotal);
  const auto busy = of_profile(metric::kBusy);
  if (samples.empty() || !busy || mean(samples) <= 0) return std::nullopt;
  const Mode mode = step.spec->mode.value_or(Mode::kForward);
  TimedStep timed{.profile = profile.label,
                  .step = std::string(labreport::describe(mode)),
                  .words = profile.words,
                  .missing = "",
                  .timer = samples,
                  .mean = mean(samples),
                  .busy = *busy,
                  .span = of_profile(metric::kSpan),
                  .profiled = of_profile(metric::kStep),
                  .mode = mode};
  if (step.perturbed()) timed.flags.emplace_back("perturbed by the profiler");
  return timed;
}

/// The forward pass comes first, a step without numbers last.
std::vector<TimedStep> timed_steps(const Profile& profile) {
  std::vector<TimedStep> steps;
  for (const auto* step : {&profile.inference, &profile.step}) {
    auto timed = *step ? timed_step(profile, **step) : std::nullopt;
    if (timed) steps.push_back(std::move(*timed));
  }
  if (!profile.reason.empty()) {
    steps.push_back({profile.label, std::string(labreport::describe(profile.missing_step)),
                     profile.words, profile.reason});
  }
  return steps;
}

/// Each profile's forward pass, else its longer step, or which step has no numbers and why.
std::vector<TimedStep> forward_passes(const std::vector<const Profile*>& profiles) {
  std::vector<TimedStep> all;
  for (const Profile* profile : profiles) {
    const auto steps = timed_steps(*profile);
    if (steps.empty()) continue;
    all.push_back(steps.front());
    if (!all.back().missing.empty()) all.back().missing = profile->why_missing(Pass::kForward);
  }
  return all;
}

/// Returns the largest share of time without kernels in forward passes at most half as long as
/// `whole`; nothing unless each of these exceeds the share in `whole` by `kLess`.
std::optional<double> emptiest_of_shorter(const Profiles& profiles, const TimedStep& whole) {
  double most = 0;
  for (const TimedStep& step : forward_passes(profiles.in_details)) {
    if (!step.missing.empty() || step.mode > Mode::kForward || 2 * step.mean > whole.mean) continue;
    if (step.difference() > whole.difference() - kLess) return std::nullopt;
    most = std::max(most, -step.difference());
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

Facts timer_sentence(const Profiles& profiles, const TimedStep& step) {
  constexpr Notation kThree{Notation::kSignificant, 3};
  const double deviation = std::abs(step.difference());
  const auto emptiest = emptiest_of_shorter(profiles, step);
  return Facts()
      .set("profile", step.words)
      .set("pass", step.mode <= Mode::kForward ? "forward pass" : labreport::describe(step.mode))
      .set("timer", step.mean, kThree)
      .set("busy", step.busy, kThree)
      .set("difference", change_words(1 + step.difference(), step.spread(), kMoreThan))
      .flag("close", deviation <= kClose)
      .set("within", format_fixed(std::max(1.0, std::ceil(100 * deviation)), 0))
      .set("apart", format_percent(deviation))
      .when("shorter", emptiest.has_value(), "emptiest", format_percent(emptiest.value_or(0)));
}

/// The command that profiles the step under Nsight Systems. Only the range "measured" is recorded,
/// which makes warm-up unnecessary.
std::string nsys_command(const RunView& view, const Profile& profile) {
  const CellSpec& spec = *(profile.step ? profile.step : profile.inference)->spec;
  return "`nsys profile --trace=cuda,nvtx --capture-range=nvtx --nvtx-capture=measured "
         "--capture-range-end=stop --output=build/nsys-step " +
         command_for(view.run(), std::string(kProblem) + ".a", spec) + " --nvtx --out build/nsys`";
}

Facts timer_facts(const Profiles& profiles) {
  Facts facts = profiles.facts();
  const Profile* profile = profiles.described;
  const auto passes = profile == nullptr ? std::vector<TimedStep>() : forward_passes({profile});
  const TimedStep* pass =
      passes.empty() || !passes.front().missing.empty() ? nullptr : &passes.front();
  const char* situation = pass == nullptr   ? "nothing"
                          : pass->is_less() ? "less"
                          : pass->agrees()  ? "agree"
                                            : "unexplained";
  facts.choose({"nothing", "less", "agree", "unexplained"}, situation,
               pass == nullptr ? Facts() : timer_sentence(profiles, *pass));
  const bool known = profile != nullptr && profiles.view.on_gpu();
  return facts.when(
      "command", known,
      known ? Facts().set_markdown("nsys", nsys_command(profiles.view, *profile)) : Facts());
}

}  // namespace

PartContent timer_vs_profiler(const Profiles& profiles) {
  PartContent part;
  part.facts = timer_facts(profiles);
  std::vector<TimedStep> every_step;
  for (const Profile* profile : profiles.in_details)
    std::ranges::move(timed_steps(*profile), std::back_inserter(every_step));
  part.datasets = {make_dataset("steps", step_columns(), forward_passes(profiles.in_tables)),
                   make_dataset("every-step", step_columns(), every_step)};
  std::vector<const Cell*> cells;
  for (const Profile& profile : profiles.all)
    std::ranges::copy(profile.cells, std::back_inserter(cells));
  part.details.tables = {command_table(profiles.view.run(), std::string(kProblem) + ".a", cells)};
  return part;
}

}  // namespace labreport::nsys_profile
