// Part (c): how slow a fresh process's first steps are, and how many a benchmark should skip.
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/benchmarking_script/presenters.h"
#include "experiments/common/change.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kNoticeable = 0.01;  // Smaller relative changes of a mean count as none.
constexpr double kFixedCost = 1.5;    // Costs alike within this ratio do not depend on the size.
constexpr std::size_t kWindows[]{0, 1, 2, 5, SIZE_MAX};  // Warm-up steps; the last stands for all.

/// Step times of one network in one mode, in ms, summarized by window. All windows have the same
/// number of steps; each begins after a different number of warm-up steps of a fresh process.
struct WarmupRow {
  const TimingGroup* group;
  Mode mode;
  std::string name = std::string(describe(mode));
  std::vector<double> first_steps = {};  ///< One for each fresh process; windows' process first.
  std::map<std::size_t, Summary> windows = {};  ///< The key counts the warm-up steps before.
  std::string reason = {};                      ///< Why windows are missing; may be empty.

  std::string size() const { return group->label; }
  double first() const { return median(first_steps); }
  const Summary& cold() const { return windows.begin()->second; }
  const Summary& warm() const { return windows.rbegin()->second; }
  double steady() const { return warm().median; }
  std::size_t warmup() const { return windows.rbegin()->first; }
  /// True if all windows come from one process, whose first step is known.
  bool comparable() const { return !first_steps.empty() && windows.size() > 1 && steady() > 0; }
  /// The mean after `warmup` warm-up steps, divided by the warm mean.
  std::optional<double> ratio(std::size_t warmup) const {
    const auto steps = windows.find(warmup);
    return steps == windows.end() ? std::nullopt : quotient(steps->second.mean, warm().mean);
  }
  double residue() const { return std::abs(ratio(1).value_or(1) - 1); }
  /// The cold mean divided by the warm one, once for the first step of each process: that step
  /// replaces the first step of the cold window.
  std::vector<double> rises() const {
    return each(first_steps, [this](double first) {
      const double change = (first - first_steps.front()) / static_cast<double>(cold().count);
      return (cold().mean + change) / warm().mean;
    });
  }
  double rise() const { return std::ranges::max(rises()); }
};

using WarmupRows = std::vector<WarmupRow>;

std::vector<double> first_steps(const TimingGroup& group, Mode mode) {
  std::vector<double> firsts;
  for (const auto* cells : {&group.cells, &group.first_step_cells}) {
    const auto cell = cells->find(mode);
    if (cell == cells->end()) continue;
    for (const Launch& launch : cell->second->launches) {
      const auto steps = milliseconds(launch, metric::kStep, metric::kTotal);
      if (is_ok(launch.outcome) && !steps.empty()) firsts.push_back(steps.front());
    }
  }
  return firsts;
}

WarmupRow warmup_row(const TimingGroup& group, Mode mode) {
  WarmupRow row{&group, mode};
  row.first_steps = first_steps(group, mode);
  row.reason = reason_missing(group, mode);
  const auto step = timed_launch(group, mode);
  if (!step) return row;
  const auto steps = milliseconds(*step->launch, metric::kStep, metric::kTotal);
  const auto last = static_cast<std::size_t>(step->spec->warmup.value_or(0));
  const auto count = static_cast<std::size_t>(step->spec->steps.value_or(0));
  for (const std::size_t skipped : kWindows) {
    const std::size_t warmup = std::min(skipped, last);
    const std::vector<double> counted = window(steps, warmup, count);
    if (count > 0 && counted.size() == count) row.windows[warmup] = summarize(counted);
  }
  return row;
}

/// A row whose windows were each measured in a separate process.
WarmupRow separate_processes_row(const TimingGroup& group, Mode mode) {
  WarmupRow row{&group, mode, std::string(describe(mode)) + ", own processes"};
  for (const Cell* cell : group.window_cells) {
    const Launch* launch = cell->spec.mode == mode ? ok_launch(*cell) : nullptr;
    if (launch == nullptr) continue;
    const auto counted =
        TimedLaunch{&cell->spec, launch}.ms_after_warmup(metric::kStep, metric::kTotal);
    const auto warmup = static_cast<std::size_t>(cell->spec.warmup.value_or(0));
    if (!counted.empty()) row.windows[warmup] = summarize(counted);
  }
  return row;
}

WarmupRows warmup_rows(const RunView& view, const std::vector<TimingGroup>& groups) {
  WarmupRows rows;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      if (!is_warmup_mode(view.edition(), mode)) continue;
      rows.push_back(warmup_row(group, mode));
      rows.push_back(separate_processes_row(group, mode));
      if (rows.back().windows.empty()) rows.pop_back();
    }
  }
  return rows;
}

/// The table has a column of modes if the rows have several.
Dataset windows(const std::string& name, const WarmupRows& rows) {
  std::map<std::size_t, Summary> all;
  for (const WarmupRow& row : rows) all.insert(row.windows.begin(), row.windows.end());
  std::vector<Column<WarmupRow>> columns{
      {"size", "Size", [](const WarmupRow& row) { return row.group->name; }}};
  if (distinct(each(rows, &WarmupRow::name)).size() > 1)
    columns.push_back({"mode", "Mode", &WarmupRow::name});
  const auto context = [](const WarmupRow& row) { return row.group->context; };
  columns.push_back({"context", "Context", context, "", {Notation::kCount}});
  const auto first = [](const WarmupRow& row) {
    return row.first_steps.empty() ? Value::missing(row.reason) : Value(row.first());
  };
  columns.push_back({"first", "First step (median)", first, "ms"});
  for (const auto& [warmup, any] : all) {
    const auto mean = [warmup = warmup](const WarmupRow& row) {
      const auto window = row.windows.find(warmup);
      if (window == row.windows.end()) return Value();
      const Summary& steps = window->second;
      return steps.count < 2 ? Value(steps.mean) : Value(steps.mean, steps.stddev);
    };
    const std::string title = format_plural(static_cast<std::int64_t>(warmup), "warm-up step");
    columns.push_back({"w" + std::to_string(warmup), title, mean, "ms"});
  }
  const auto ratio = [](const WarmupRow& row) {
    return row.comparable() ? row.ratio(0) : std::nullopt;
  };
  columns.push_back({"rise", "Cold ÷ warm", ratio, "×", {Notation::kFixed, 2}});
  return make_dataset(name, columns, rows);
}

/// A process's first step; times in ms, present if it was profiled. `modules` (loading them),
/// `library` (initializing cuBLAS) and `allocation` are times of the CPU, `busy` of all kernels.
struct FirstStep {
  const WarmupRow* row;
  std::optional<double> whole = {}, modules = {}, library = {}, allocation = {}, busy = {};

  FirstStep(const RunView& view, const WarmupRow& of) : row(&of) {
    const Launch* launch =
        of.mode == Mode::kForwardBackward ? profiled_first_step(view, of.group->spec) : nullptr;
    if (launch == nullptr) return;
    whole = single_milliseconds(*launch, metric::kProfile, metric::kStep);
    modules = single_milliseconds(*launch, metric::kFirstLaunches, metric::kCodeLoading);
    library = single_milliseconds(*launch, metric::kFirstLaunches, metric::kMatrixLibrary);
    allocation = single_milliseconds(*launch, metric::kRuntime, metric::kAllocation);
    busy = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
  }
  bool explained() const { return whole && modules && library && allocation && busy; }
  /// The time for loading modules and initializing cuBLAS; only if `explained()`.
  double initialization() const { return *modules + *library; }
  /// True if initialization takes half to twice the first step's extra time over a steady step.
  bool by_initialization() const {
    const double extra = row->first() - row->steady();
    return initialization() >= extra / 2 && initialization() <= 2 * extra;
  }
  /// Splits the step by cause. Kernels overlap CPU work, so they get at most the time that is left.
  std::vector<std::pair<const char*, double>> parts() const {
    if (!explained()) return {{"first step", row->first()}};
    const double others = std::max(*whole - initialization() - *allocation, 0.0);
    const double kernels = std::min(*busy, others);
    return {{"CUDA module loading", *modules},
            {"cuBLAS init", *library},
            {"allocation", *allocation},
            {"kernels", kernels},
            {"rest", others - kernels}};
  }
};

using FirstSteps = std::vector<FirstStep>;

const std::vector<Column<FirstStep>> kFirstStep{
    {"size", "Size", [](const FirstStep& step) { return step.row->group->name; }},
    {"context",
     "Context",
     [](const FirstStep& step) { return step.row->group->context; },
     "",
     {Notation::kCount}},
    {"first", "First step (median)", [](const FirstStep& step) { return step.row->first(); }, "ms"},
    {"whole", "First step (profiled)", &FirstStep::whole, "ms"},
    {"modules", "CUDA module loading", &FirstStep::modules, "ms"},
    {"library", "cuBLAS initialization", &FirstStep::library, "ms"},
    {"allocation", "Allocation", &FirstStep::allocation, "ms"},
    {"busy", "Kernels busy", &FirstStep::busy, "ms"},
    {"steady", "Steady state", [](const FirstStep& step) { return step.row->steady(); }, "ms"},
    {"label", "Label", [](const FirstStep& step) { return step.row->size(); }}};

/// A segment of a bar: the first step by cause, or a steady step.
struct Segment {
  const TimingGroup* group;
  std::string bar, cause;
  double ms;
};

const std::vector<Column<Segment>> kSegments{
    {"size", "Size", [](const Segment& segment) { return segment.group->name; }},
    {"context",
     "Context",
     [](const Segment& segment) { return segment.group->context; },
     "",
     {Notation::kCount}},
    {"bar", "Step", &Segment::bar},
    {"cause", "Cause", &Segment::cause},
    {"ms", "Time", &Segment::ms, "ms"},
    {"label", "Label", [](const Segment& segment) { return segment.group->label; }}};

std::vector<Segment> segments(const FirstSteps& steps) {
  std::vector<Segment> all;
  for (const FirstStep& step : steps) {
    for (const auto& [cause, ms] : step.parts()) {
      if (ms > 0) all.push_back({step.row->group, "first step", cause, ms});
    }
    all.push_back({step.row->group, "steady state", "steady state", step.row->steady()});
  }
  return all;
}

std::string range_words(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return from_to(format_significant(low, 3), format_significant(high, 3));
}

/// Names initialization as the cause if it explains every profiled first step's extra time and the
/// windows after one warm-up step deviate less than half as much as the cold ones.
std::optional<Facts> initialization_facts(const FirstSteps& steps, const WarmupRow& most) {
  const auto after_one = most.windows.find(1);
  const Summary& later = after_one == most.windows.end() ? most.warm() : after_one->second;
  const FirstSteps profiled = only(steps, &FirstStep::explained);
  const auto is_of_most = [&](const FirstStep& step) { return step.row->group == most.group; };
  if (2 * later.stddev >= most.cold().stddev || std::ranges::none_of(profiled, is_of_most) ||
      !std::ranges::all_of(profiled, &FirstStep::by_initialization))
    return std::nullopt;
  const auto times = each(profiled, &FirstStep::initialization);
  const bool fixed = times.size() > 1 && times.size() == steps.size() &&
                     std::ranges::max(times) < kFixedCost * std::ranges::min(times);
  return Facts().set("causes", range_words(times)).flag("fixed", fixed);
}

/// Sets the answer. `rows` must not be empty and have one mode.
void set_answer(Facts& facts, const WarmupRows& rows, const FirstSteps& firsts,
                const std::vector<TimingGroup>& groups) {
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &WarmupRow::rise);
  const WarmupRow& farthest = *largest(rows, &WarmupRow::residue);
  // Networks that allocated device memory in a counted step, even after all warm-up steps.
  const auto allocating = only(groups, [](const TimingGroup& group) {
    const auto step = longest_timed_launch(group);
    return step && std::ranges::count(disturbances(*step), "allocated in step") > 0;
  });
  const auto change = [](const WarmupRow& row) {
    return std::ranges::max(each(row.rises(), [](double rise) { return std::abs(rise - 1); }));
  };
  const bool rises = most->rise() > 1 + kNoticeable;
  const auto initialization = initialization_facts(firsts, *most);
  Facts cold;
  cold.set("most", most->size()).set("least", least->size());
  cold.set("most_rise", range_words(most->rises())).set("least_rise", range_words(least->rises()));
  cold.flag("several", least->group != most->group);
  // The bound is rounded up, because "within 0.0 %" would be false.
  const double bound = std::ceil(change(*largest(rows, change)) * 1e3) / 1e3;
  const std::string step(describe(most->mode));
  facts.set("steps", format_plural(static_cast<std::int64_t>(most->cold().count),
                                   most->mode == Mode::kTrainStep ? step : step + " step"));
  facts.when("rises", rises,
             cold.when("initialization", initialization).flag("unexplained", !initialization));
  facts.when("steady", !rises, "bound", format_rough_percent(bound) + " %");
  facts.choose({"one_enough", "one_short"},
               most->warmup() < 2                  ? ""
               : farthest.residue() <= kNoticeable ? "one_enough"
                                                   : "one_short",
               Facts()
                   .set("size", farthest.size())
                   .when("allocates", !allocating.empty(), "sizes",
                         join_words(each(allocating, &TimingGroup::label))));
}

}  // namespace

PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups) {
  const WarmupRows all = warmup_rows(view, groups);
  const WarmupRows comparable = only(all, &WarmupRow::comparable);
  // The answer describes forward+backward, which every edition shows, or else the first mode.
  const bool backward =
      std::ranges::count(comparable, Mode::kForwardBackward, &WarmupRow::mode) > 0;
  const Mode mode =
      backward || comparable.empty() ? Mode::kForwardBackward : comparable.front().mode;
  const auto of_mode = [mode](const WarmupRow& row) { return row.mode == mode; };
  const WarmupRows rows = only(comparable, of_mode);
  const auto firsts = each(rows, [&](const WarmupRow& row) { return FirstStep(view, row); });
  PartContent part;
  part.facts.flag("profiled", std::ranges::any_of(firsts, &FirstStep::explained));
  part.facts.flag("nothing", rows.empty());
  part.facts.choose({"rises", "steady", "one_enough", "one_short"}, "", {});
  if (!rows.empty()) set_answer(part.facts, rows, firsts, groups);
  part.facts.set("mode", describe(mode));
  part.datasets = {windows("windows", only(all, of_mode)), windows("every-window", all),
                   make_dataset("first-step", kFirstStep, firsts),
                   make_dataset("first-step-causes", kSegments, segments(firsts))};
  return part;
}

}  // namespace labreport::benchmarking_script
