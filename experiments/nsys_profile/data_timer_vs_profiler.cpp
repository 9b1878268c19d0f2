// Part (a): the profiler's time of a pass against the timer's.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/parts.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kSimilar = 2;    // Between the least and the most.
constexpr double kAlike = 0.005;  // Of a time: nearer needs no reason.
constexpr double kMuchLess = 4;   // Of a growth against another.

std::optional<double> minus(const std::optional<double>& whole, const std::optional<double>& part) {
  return whole && part ? std::optional(*whole - *part) : std::nullopt;
}

/// One step by the timer and by the profiler, in ms; or why it was not profiled.
struct TimedStep {
  std::string profile, step, words, missing;
  std::vector<double> timer = {};       ///< Unprofiled steps.
  double mean = 0;                      ///< Of `timer`.
  double busy = 0;                      ///< Some kernel ran.
  std::optional<double> span = {};      ///< First kernel's start → last one's end.
  std::optional<double> profiled = {};  ///< The profiled step, by the host's clock.
  Mode mode = Mode::kForward;
  std::vector<std::string> flags = {};

  double difference() const { return busy / mean - 1; }  ///< Negative: the profiler sees less.
  double spread() const { return summarize(timer).coefficient_of_variation(); }
  /// Timer and profiler are told apart only beyond what the timer's own steps vary by.
  bool is_less() const { return difference() < -spread() && idle() && *idle() > 0; }
  bool agrees() const { return std::abs(difference()) <= spread(); }
  bool is_unexplained() const { return !agrees() && !is_less(); }
  std::optional<double> gaps() const { return minus(span, busy); }
  /// Of the profiled step, before its first kernel and after its last one.
  std::optional<double> outside() const { return minus(profiled, span); }
  std::optional<double> idle() const { return minus(profiled, busy); }
  std::optional<double> cost() const { return minus(profiled, mean); }
  bool perturbed() const { return !flags.empty(); }
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
  TimedStep timed{profile.label, std::string(labreport::describe(mode)), profile.words, "",
                  samples};
  timed.mode = mode;
  timed.mean = mean(samples);
  timed.busy = *busy;
  timed.span = of_profile(metric::kSpan);
  timed.profiled = of_profile(metric::kStep);
  if (step.perturbed()) timed.flags.emplace_back("perturbed by the profiler");
  return timed;
}

/// The forward pass alone comes first; last a step without numbers.
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

/// Of each profile its forward pass, or which step has no numbers and why.
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

std::vector<TimedStep> every_step(const std::vector<const Profile*>& profiles) {
  std::vector<TimedStep> all;
  for (const Profile* profile : profiles)
    std::ranges::move(timed_steps(*profile), std::back_inserter(all));
  return all;
}

Facts timer_sentence(const TimedStep& step) {
  const bool forward = step.mode <= Mode::kForward;
  constexpr Notation kThree{Notation::kSignificant, 3};
  Facts facts;
  facts.set("profile", step.words);
  facts.set("pass", forward ? "forward pass" : labreport::describe(step.mode));
  facts.set("timer", step.mean, {});
  facts.set("busy", step.busy, {});
  facts.set("difference", change_words(1 + step.difference(), step.spread(), kMoreThan));
  facts.set("apart", format_percent(std::ceil(std::abs(step.difference()) * 1000) / 1000));
  const auto idle = step.idle(), cost = step.cost();
  facts.set("idle", idle, kThree);
  facts.flag("overhead", idle && cost && *cost > 0 && *cost < *idle * kSimilar);
  facts.set("cost", cost, kThree);
  return facts;
}

/// The time without kernels of a step that has it.
double idle_ms(const TimedStep& step) { return *step.idle(); }

std::optional<Facts> difference_range(const std::vector<TimedStep>& steps) {
  return ranges<TimedStep>(steps, {{"difference", &TimedStep::difference, {Notation::kPercent}},
                                   {"length", &TimedStep::mean, {Notation::kSignificant, 3}},
                                   {"idle", idle_ms, {Notation::kSignificant, 2}}});
}

/// "the other 3", with their differences; nothing where there are none.
std::optional<Facts> others(const std::vector<TimedStep>& perturbed) {
  if (perturbed.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(perturbed, {}, &TimedStep::difference);
  const std::size_t count = perturbed.size();
  return Facts()
      .set("others", "the other " + (count == 1 ? "one" : std::to_string(count)))
      .set("perturbed",
           from_to(format_percent(low.difference()), format_percent(high.difference())));
}

/// Short passes differ most, and the time without kernels grows much less than the passes.
bool shrinks(const std::vector<TimedStep>& steps) {
  const auto [idlest, busiest] = std::ranges::minmax(steps, {}, idle_ms);
  const auto [shortest, longest] = std::ranges::minmax(steps, {}, &TimedStep::mean);
  const auto [lowest, highest] = std::ranges::minmax(steps, {}, &TimedStep::difference);
  const double middle = std::sqrt(shortest.mean * longest.mean);
  return idle_ms(idlest) > 0 && highest.difference() < kAlike && lowest.mean < middle &&
         highest.mean > middle &&
         kMuchLess * idle_ms(busiest) / idle_ms(idlest) < longest.mean / shortest.mean;
}

bool any_less(const std::vector<TimedStep>& steps) {
  return std::ranges::any_of(steps, &TimedStep::is_less);
}

/// All forward passes of the answer's precision; nothing where one is beyond twice the timer's
/// time: that is no range to speak of.
std::optional<Facts> timer_range(const Profiles& profiles) {
  std::vector<TimedStep> steps = forward_passes(only(profiles.every, [&](const Profile* profile) {
    return profiles.foremost != nullptr && profile->precision() == profiles.foremost->precision();
  }));
  std::erase_if(steps, [](const TimedStep& step) {
    return !step.missing.empty() || step.mode > Mode::kForward || !step.idle();
  });
  const auto perturbed = only(steps, &TimedStep::perturbed);
  std::erase_if(steps, &TimedStep::perturbed);
  const auto beyond = [](const TimedStep& step) { return step.difference() > 1; };
  auto range = difference_range(steps);
  if (!range || std::ranges::any_of(steps, beyond)) return std::nullopt;
  const TimedStep& most = *std::ranges::max_element(steps, {}, &TimedStep::difference);
  return range->set("precision", labreport::describe(profiles.foremost->precision()))
      .flag("shrinks", shrinks(steps))
      .flag("negative", !shrinks(steps) && any_less(steps) && most.difference() >= kAlike)
      .when("longer", most.difference() >= kAlike, "most", most.profile)
      .when("some_perturbed", others(perturbed));
}

/// The profiled step under Nsight Systems: only the range "measured", so without warm-up.
std::string nsys_command(const Profiles& profiles) {
  const Profile& profile = *profiles.foremost;
  const CellSpec& spec = *(profile.step ? profile.step : profile.inference)->spec;
  return "`nsys profile --trace=cuda,nvtx --capture-range=nvtx --nvtx-capture=measured "
         "--capture-range-end=stop --output=build/nsys-step " +
         command_for(profiles.view.run(), std::string(kProblem) + ".a", spec) +
         " --nvtx --out build/nsys`";
}

Facts timer_facts(const Profiles& profiles) {
  std::vector<TimedStep> steps = forward_passes(profiles.answered);
  std::erase_if(steps, [](const TimedStep& step) { return !step.missing.empty(); });
  Facts facts = profiles.facts();
  set_situations<TimedStep>(facts, foremost_of(profiles, steps), timer_sentence,
                            {{"less", &TimedStep::is_less},
                             {"agree", &TimedStep::agrees},
                             {"unexplained", &TimedStep::is_unexplained}});
  facts.when("range", timer_range(profiles));
  Facts command;
  const bool known = profiles.foremost != nullptr && profiles.view.on_gpu();
  if (known) command.set_markdown("nsys", nsys_command(profiles));
  facts.when("command", known ? std::optional(command) : std::nullopt);
  return facts;
}

TableView profile_commands(const Profiles& profiles) {
  std::vector<NamedCell> cells;
  for (const Profile& profile : profiles.all) {
    for (const Cell* cell : profile.cells) {
      const Mode mode = cell->spec.mode.value_or(Mode::kForward);
      cells.push_back({profile.label + ", " + std::string(labreport::describe(mode)), cell});
    }
  }
  return commands_table(profiles.view.run(), std::string(kProblem) + ".a", cells);
}

}  // namespace

PartContent timer_vs_profiler(const Profiles& profiles) {
  PartContent part;
  part.facts = timer_facts(profiles);
  part.datasets = {make_dataset("steps", step_columns(), forward_passes(profiles.shown)),
                   make_dataset("every-step", step_columns(), every_step(profiles.every))};
  part.details.tables = {profile_commands(profiles)};
  return part;
}

}  // namespace labreport::nsys_profile
