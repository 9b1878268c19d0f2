// Part (a): the profiler's time of a pass against the timer's.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/nsys_profile/parts.h"
#include "results/metric_names.h"

namespace labreport::nsys_profile {
namespace {

constexpr double kPerturbed = 0.05;  // Of a step: how much fuller of kernels its profile may be.
constexpr double kSimilar = 2;       // Between the least and the most.

/// One step by the timer and by the profiler, in ms; or why it was not profiled.
struct TimedStep {
  std::string profile, step, words, missing;
  std::vector<double> timer = {};  ///< Unprofiled steps.
  double mean = 0;                 ///< Of `timer`.
  double busy = 0;                 ///< Some kernel ran.
  double span = 0;                 ///< First kernel's start → last one's end.
  double profiled = 0;             ///< The profiled step, by the host's clock.
  const ProfiledStep* source = nullptr;
  std::vector<std::string> flags = {};

  double difference() const { return busy / mean - 1; }  ///< Negative: the profiler sees less.
  double spread() const { return summarize(timer).coefficient_of_variation(); }
  double gaps() const { return span - busy; }
  /// Of the profiled step, before its first kernel and after its last one.
  double outside() const { return profiled > 0 ? profiled - span : 0; }
  double idle() const { return gaps() + outside(); }
  double cost() const { return profiled - mean; }
  /// Kernels fill another share of the profiled span than of an unprofiled step.
  bool perturbed() const {
    return span > 0 && std::abs(busy / mean - busy / span) > kPerturbed;
  }
};

using Number = std::function<Value(const TimedStep&)>;

Column<TimedStep> column_of(const char* name, const char* title, const char* unit, Number number,
                            Notation notation = {}) {
  return {name, title, or_reason<TimedStep>(std::move(number)), unit, notation};
}

/// The mean of a phase's events, or a value of the profile.
Number event(std::string_view phase) {
  return [phase](const TimedStep& step) -> Value {
    const auto samples = step.source->samples(metric::kEvent, phase);
    return samples.empty() ? Value() : Value(mean(samples));
  };
}

Number around_step() {
  return [](const TimedStep& step) {
    return step.source->value(metric::kProfile, metric::kPrepare).value_or(0) +
           step.source->value(metric::kProfile, metric::kCollect).value_or(0);
  };
}

Number unattributed() {
  return [](const TimedStep& step) -> Value {
    const double lost = step.source->value(metric::kProfile, metric::kUnattributed).value_or(0);
    return step.busy > 0 ? Value(lost / step.busy) : Value();
  };
}

const std::vector<Column<TimedStep>>& columns() {
  static const std::vector<Column<TimedStep>> columns{
      {"profile", "Profile", &TimedStep::profile},
      {"step", "Step", &TimedStep::step},
      column_of("timer", "Timer", "ms", [](const auto& s) { return Value::mean_of(s.timer); }),
      column_of("busy", "Busy", "ms", &TimedStep::busy),
      column_of("difference", "Difference", "%", &TimedStep::difference, {Notation::kPercent}),
      column_of("span", "First to last", "ms", &TimedStep::span),
      column_of("profiled", "Profiled step", "ms", &TimedStep::profiled),
      column_of("gaps", "Gaps", "ms", &TimedStep::gaps),
      column_of("outside", "Before and after", "ms", &TimedStep::outside),
      column_of("cost", "Profiler's cost", "ms", &TimedStep::cost),
      column_of("event", "Forward by events", "ms", event(metric::kForward)),
      column_of("forward", "Forward, busy", "ms",
                [](const auto& s) { return s.source->value(metric::kBusy, metric::kForward); }),
      column_of("unattributed", "Unattributed", "%", unattributed(), {Notation::kPercent}),
      column_of("around", "Profiler's start and stop", "ms", around_step())};
  return columns;
}

std::optional<TimedStep> timed_step(const Profile& profile, const std::optional<ProfiledStep>& step) {
  if (!step) return std::nullopt;
  const Mode mode = step->spec->mode.value_or(Mode::kForward);
  TimedStep timed{profile.label, std::string(labreport::describe(mode)), profile.words, ""};
  timed.timer = step->samples(metric::kStep, metric::kTotal);
  const auto busy = step->value(metric::kProfile, metric::kBusy);
  if (timed.timer.empty() || !busy || mean(timed.timer) <= 0) return std::nullopt;
  timed.mean = mean(timed.timer);
  timed.busy = *busy;
  timed.span = step->value(metric::kProfile, metric::kSpan).value_or(*busy);
  timed.profiled = step->value(metric::kProfile, metric::kStep).value_or(0);
  timed.source = &*step;
  if (timed.perturbed()) timed.flags.emplace_back("perturbed by the profiler");
  return timed;
}

std::vector<TimedStep> timed_steps(const std::vector<const Profile*>& profiles) {
  std::vector<TimedStep> steps;
  for (const Profile* profile : profiles) {
    for (const auto* step : {&profile->inference, &profile->step}) {
      if (auto timed = timed_step(*profile, *step)) steps.push_back(std::move(*timed));
    }
    if (profile->missing.empty()) continue;
    steps.push_back({profile->label, profile->missing_step, profile->words, profile->missing});
  }
  return steps;
}

std::vector<TimedStep> measured(std::vector<TimedStep> steps) {
  std::erase_if(steps, [](const TimedStep& step) { return !step.missing.empty(); });
  return steps;
}

/// What a profiled step consists of, as shares of the timer's time: a bar of the figure.
struct Stretch {
  std::string row, part;
  double ms, from, to;
  std::string timer, cost;  ///< Words behind the bar.
};

const std::vector<Column<Stretch>> kStretches{
    {"row", "Step", &Stretch::row},      {"part", "Part", &Stretch::part},
    {"ms", "Time", &Stretch::ms, "ms"},  {"from", "From", &Stretch::from, "%"},
    {"to", "To", &Stretch::to, "%"},     {"timer", "Timer", &Stretch::timer},
    {"cost", "Profiler's cost", &Stretch::cost}};

std::vector<Stretch> stretches(const std::vector<TimedStep>& steps) {
  std::vector<Stretch> found;
  for (const TimedStep& step : steps) {
    double from = 0;
    for (const auto& [part, ms] : {std::pair("busy", step.busy), std::pair("gaps", step.gaps()),
                                   std::pair("before and after", step.outside())}) {
      const double to = from + 100 * ms / step.mean;
      found.push_back({step.profile + " · " + step.step, part, ms, from, to,
                       format_significant(step.mean) + " ms",
                       (step.cost() < 0 ? "" : "+") + format_significant(step.cost(), 2) + " ms"});
      from = to;
    }
  }
  return found;
}

/// Of each profile the forward pass, where the handout's question can be answered.
std::vector<TimedStep> first_steps(const Profiles& profiles) {
  std::vector<TimedStep> found;
  for (const Profile* profile : profiles.answered) {
    const auto steps = measured(timed_steps({profile}));
    if (!steps.empty()) found.push_back(steps.front());
  }
  return found;
}

std::string pass_words(const TimedStep& step) {
  const Mode mode = step.source->spec->mode.value_or(Mode::kForward);
  return mode <= Mode::kForward ? "forward pass" : std::string(labreport::describe(mode));
}

Facts sentence(const TimedStep& step) {
  Facts facts;
  facts.set("profile", step.words);
  facts.set("pass", pass_words(step));
  facts.set("timer", step.mean, {});
  facts.set("busy", step.busy, {});
  facts.set("difference", change_words(1 + step.difference(), step.spread(), kMore));
  facts.set("spread", format_rough_percent(step.spread()));
  facts.set("gaps", step.gaps(), {Notation::kSignificant, 3});
  facts.set("outside", step.outside(), {Notation::kSignificant, 3});
  facts.set("profiled", step.profiled, {});
  facts.set("cost", change_words(step.profiled / step.mean, step.spread(), kLongerThan));
  return facts;
}

/// Timer and profiler are told apart only beyond what the timer's own steps vary by.
void set_one(Facts& facts, const std::vector<TimedStep>& steps) {
  const bool one = steps.size() == 1;
  const TimedStep step = one ? steps.front() : TimedStep{};
  const bool agree = one && std::abs(step.difference()) <= step.spread();
  const auto when = [&](const char* name, bool holds) {
    facts.when(name, holds ? std::optional(sentence(step)) : std::nullopt);
  };
  when("agree", agree);
  when("less", one && !agree && step.difference() < 0);
  when("more", one && !agree && step.difference() > 0);
  when("perturbed", one && step.perturbed());
}

bool idle_is_alike(const std::vector<TimedStep>& steps) {
  const auto [least, most] = std::ranges::minmax(steps, {}, &TimedStep::idle);
  const auto [shortest, longest] = std::ranges::minmax(steps, {}, &TimedStep::mean);
  const auto lowest = std::ranges::min(steps, {}, &TimedStep::difference);
  return least.idle() > 0 && most.idle() < kSimilar * least.idle() &&
         longest.mean > 2 * kSimilar * shortest.mean && lowest.words == shortest.words;
}

void set_several(Facts& facts, const std::vector<TimedStep>& steps) {
  std::vector<NamedValue> differences;
  std::vector<std::string> longer;
  for (const TimedStep& step : steps) {
    differences.push_back({step.difference(), step.words});
    if (step.difference() > step.spread()) longer.push_back(step.words);
  }
  Facts range;
  range.set("count", steps.size(), {Notation::kCount});
  set_range(range, differences, {Notation::kPercent});
  const bool several = steps.size() > 1;
  facts.when("range", several ? std::optional(range) : std::nullopt);
  Facts idle;
  if (several) {
    const auto [least, most] = std::ranges::minmax(steps, {}, &TimedStep::idle);
    idle.set("least", least.idle(), {Notation::kSignificant, 2});
    idle.set("most", most.idle(), {Notation::kSignificant, 2});
    idle.set("shortest", std::ranges::min(steps, {}, &TimedStep::mean).words);
  }
  const bool alike = several && idle_is_alike(steps);
  facts.when("idle_alike", alike ? std::optional(idle) : std::nullopt);
  facts.when("idle_apart", several && !alike ? std::optional(idle) : std::nullopt);
  facts.when("longer", several && !longer.empty(), "profiles", join_words(longer));
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

Facts make_facts(const Profiles& profiles) {
  const std::vector<TimedStep> steps = first_steps(profiles);
  Facts facts = profiles.facts();
  std::vector<Facts> sentences;
  for (const TimedStep& step : steps) sentences.push_back(sentence(step));
  facts.list("steps", std::move(sentences));
  set_one(facts, steps);
  set_several(facts, steps);
  Facts command;
  const bool known = profiles.foremost != nullptr && profiles.view.on_gpu();
  if (known) command.set_markdown("nsys", nsys_command(profiles));
  facts.when("command", known ? std::optional(command) : std::nullopt);
  return facts;
}

TableView commands(const Profiles& profiles) {
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
  const std::vector<TimedStep> shown = timed_steps(profiles.shown);
  PartContent part;
  part.facts = make_facts(profiles);
  part.datasets = {make_dataset("steps", columns(), shown),
                   make_dataset("timer-vs-profiler", kStretches, stretches(measured(shown))),
                   make_dataset("every-step", columns(), timed_steps(profiles.every()))};
  part.drawer.tables = {commands(profiles)};
  return part;
}

}  // namespace labreport::nsys_profile
