// Part (a): the profiler's time of a pass against the timer's.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/nsys_profile/answers.h"
#include "experiments/nsys_profile/parts.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kSimilar = 2;  // Between the least and the most.

/// One step by the timer and by the profiler, in ms; or why it was not profiled.
struct TimedStep {
  std::string profile, step, words, missing;
  std::vector<double> timer = {};  ///< Unprofiled steps.
  double mean = 0;                 ///< Of `timer`.
  double busy = 0;                 ///< Some kernel ran.
  double span = 0;                 ///< First kernel's start → last one's end.
  double profiled = 0;             ///< The profiled step, by the host's clock.
  Mode mode = Mode::kForward;
  std::vector<std::string> flags = {};

  double difference() const { return busy / mean - 1; }  ///< Negative: the profiler sees less.
  double spread() const { return summarize(timer).coefficient_of_variation(); }
  /// Timer and profiler are told apart only beyond what the timer's own steps vary by.
  bool is_less() const { return difference() < -spread() && idle() > 0; }
  bool agrees() const { return std::abs(difference()) <= spread(); }
  bool is_unexplained() const { return !agrees() && !is_less(); }
  double gaps() const { return span - busy; }
  /// Of the profiled step, before its first kernel and after its last one.
  double outside() const { return profiled > 0 ? profiled - span : 0; }
  double idle() const { return gaps() + outside(); }
  double cost() const { return profiled - mean; }
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
  timed.span = of_profile(metric::kSpan).value_or(*busy);
  timed.profiled = of_profile(metric::kStep).value_or(0);
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
  if (!profile.missing.empty()) {
    steps.push_back({profile.label, profile.missing_step, profile.words, profile.reason});
  }
  return steps;
}

/// Of each profile the first `most`.
std::vector<TimedStep> timed_steps(const std::vector<const Profile*>& profiles, std::size_t most) {
  std::vector<TimedStep> all;
  for (const Profile* profile : profiles) {
    const auto steps = timed_steps(*profile) | std::views::take(most);
    all.insert(all.end(), steps.begin(), steps.end());
  }
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
  facts.set("idle", step.idle(), kThree);
  facts.flag("overhead", step.cost() > 0 && step.cost() < step.idle() * kSimilar);
  facts.set("cost", step.cost(), kThree);
  return facts;
}

/// The time without kernels is alike in passes of all lengths, and the shortest shows it most.
bool idle_is_alike(const std::vector<TimedStep>& steps) {
  const auto [least, most] = std::ranges::minmax(steps, {}, &TimedStep::idle);
  const auto [shortest, longest] = std::ranges::minmax(steps, {}, &TimedStep::mean);
  const auto [lowest, highest] = std::ranges::minmax(steps, {}, &TimedStep::difference);
  return least.idle() > 0 && most.idle() < kSimilar * least.idle() && highest.difference() < 0 &&
         longest.mean > 2 * kSimilar * shortest.mean && lowest.words == shortest.words;
}

/// Not where one is beyond twice the timer's time: that is no range to speak of.
void set_timer_range(Facts& facts, const std::vector<TimedStep>& steps) {
  auto range =
      ranges<TimedStep>(steps, {{"difference", &TimedStep::difference, {Notation::kPercent}},
                                {"idle", &TimedStep::idle, {Notation::kSignificant, 2}}});
  const auto beyond = [](const TimedStep& step) { return step.difference() > 1; };
  if (std::ranges::any_of(steps, beyond)) range.reset();
  const bool alike = range && idle_is_alike(steps);
  const auto longer = [](const TimedStep& step) { return step.difference() >= 0.0005; };
  if (range) range->flag("longer", std::ranges::any_of(steps, longer));
  facts.when("range", alike ? std::nullopt : range);
  facts.when("idle_alike", alike ? range : std::nullopt);
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
  std::vector<TimedStep> steps = timed_steps(profiles.answered, 1);
  std::erase_if(steps, [](const TimedStep& step) { return !step.missing.empty(); });
  Facts facts = profiles.facts();
  set_situations<TimedStep>(facts, foremost_of(profiles, steps), timer_sentence,
                            {{"less", &TimedStep::is_less},
                             {"agree", &TimedStep::agrees},
                             {"unexplained", &TimedStep::is_unexplained}});
  set_timer_range(facts, steps);
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
  part.datasets = {
      make_dataset("steps", step_columns(), timed_steps(profiles.shown, 1)),
      make_dataset("every-step", step_columns(), timed_steps(profiles.every, SIZE_MAX))};
  part.details.tables = {profile_commands(profiles)};
  return part;
}

}  // namespace labreport::nsys_profile
