// Presents part (c): how slow a fresh process's first steps are, and how many to skip.
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "base/format.h"
#include "base/lists.h"
#include "base/outliers.h"
#include "experiments/benchmarking_script/presenters.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kNoticeableChange = 0.01;  // Smaller relative changes of a mean count as none.
constexpr double kLargestSteadyDeviation = 0.02;  // Steps that vary more are not judged.
constexpr std::array kOrdinals{"first", "second", "third", "fourth", "fifth"};
constexpr double kUnsettledSpread = 3;  // Larger ratios of deviations are no noise.
// The numbers of warm-up steps before the windows; SIZE_MAX stands for all warm-up steps.
constexpr std::size_t kWindowWarmups[]{0, 1, 2, 5, SIZE_MAX};

/// Step times of one network in one mode, in ms, summarized by window. All windows have the same
/// number of steps. Each begins after another number of warm-up steps of a fresh process.
struct WarmupRow {
  const TimingGroup* group;
  Mode mode;
  std::string mode_words = std::string(describe(mode));
  /// The first step of each fresh process, beginning with the process of the windows.
  std::vector<double> first_steps_ms = {};
  std::vector<double> steps_ms = {};             ///< All steps of the process of the windows.
  std::map<std::size_t, Summary> windows = {};   ///< The key is the number of warm-up steps.
  std::optional<std::int64_t> allocations = {};  ///< The calls of cudaMalloc in the second step.
  std::string reason = {};                       ///< Why windows are missing; may be empty.
  std::vector<std::string> flags = {};           ///< "outlier" if a step after all warm-up is one.

  std::string label() const { return group->label; }
  double first_step_ms() const { return median(first_steps_ms); }
  const Summary& cold_window() const { return windows.begin()->second; }
  const Summary& warm_window() const { return windows.rbegin()->second; }
  double steady_ms() const { return warm_window().median; }
  /// True if all windows come from one process, whose first step is known.
  bool is_comparable() const {
    return !first_steps_ms.empty() && windows.size() > 1 && steady_ms() > 0;
  }
  /// Returns the mean after `warmup` warm-up steps, divided by the warm window's mean.
  std::optional<double> ratio_to_warm(std::size_t warmup) const {
    const auto window = windows.find(warmup);
    return window == windows.end() ? std::nullopt
                                   : quotient(window->second.mean, warm_window().mean);
  }
  /// Returns the deviation after one warm-up step, divided by that after all; 0 if it is unknown.
  double spread_after_one() const {
    const auto window = windows.find(1);
    if (window == windows.end() || windows.rbegin()->first < 2) return 0;
    return quotient(window->second.stddev, warm_window().stddev).value_or(0);
  }
  /// True if steps after one warm-up step deviate much more than later ones, by over 1 % of a step.
  bool settles_late() const {
    const auto window = windows.find(1);
    return spread_after_one() >= kUnsettledSpread &&
           window->second.stddev > kNoticeableChange * window->second.mean;
  }
  /// Returns the index of the warm-up step that makes the deviation after one warm-up step: the
  /// longest, without which the others deviate less than half as much. Nothing if there is none.
  std::optional<std::size_t> slow_step() const {
    const auto window = windows.find(1);
    if (window == windows.end() || steps_ms.size() < 1 + window->second.count) return std::nullopt;
    const auto begin = steps_ms.begin() + 1;
    std::vector<double> others(begin, begin + static_cast<std::ptrdiff_t>(window->second.count));
    const auto longest = std::ranges::max_element(others);
    const auto index = static_cast<std::size_t>(longest - others.begin()) + 1;
    others.erase(longest);
    const bool is_in_all_windows = index >= windows.rbegin()->first;
    if (is_in_all_windows || others.size() < 2 ||
        2 * sample_stddev(others) >= window->second.stddev)
      return std::nullopt;
    return index;
  }
  /// True if the window after one warm-up step resembles the warm one: its mean lies within the
  /// warm deviation or 1 %, and it does not deviate much more.
  bool settles_after_one() const {
    const double noise =
        std::max(kNoticeableChange, quotient(warm_window().stddev, warm_window().mean).value_or(0));
    return spread_after_one() > 0 && !settles_late() &&
           std::abs(ratio_to_warm(1).value_or(1) - 1) <= noise;
  }
  double rise() const { return ratio_to_warm(0).value_or(1); }
  /// True if the mean rises without warm-up and the steps after the first one deviate less than
  /// half as much.
  bool first_step_raises_mean() const {
    const auto window = windows.find(1);
    const Summary& later = window == windows.end() ? warm_window() : window->second;
    return rise() > 1 + kNoticeableChange && 2 * later.stddev < cold_window().stddev;
  }
};

using WarmupRows = std::vector<WarmupRow>;

std::vector<double> first_steps_ms(const TimingGroup& group, Mode mode) {
  std::vector<double> first_steps;
  for (const auto* cells : {&group.cells, &group.first_step_cells}) {
    const auto cell = cells->find(mode);
    if (cell == cells->end()) continue;
    for (const Launch& launch : cell->second->launches) {
      const auto steps = milliseconds(launch, metric::kStep, metric::kTotal);
      if (is_ok(launch.outcome) && !steps.empty()) first_steps.push_back(steps.front());
    }
  }
  return first_steps;
}

WarmupRow warmup_row(const TimingGroup& group, Mode mode) {
  WarmupRow row{&group, mode};
  row.first_steps_ms = first_steps_ms(group, mode);
  row.reason = reason_missing(group, mode);
  const auto step = timed_launch(group, mode);
  if (!step) return row;
  const std::vector<double>& steps = row.steps_ms =
      milliseconds(*step->launch, metric::kStep, metric::kTotal);
  const auto all_warmups = static_cast<std::size_t>(step->spec->warmup.value_or(0));
  const auto count = static_cast<std::size_t>(step->spec->steps.value_or(0));
  for (const std::size_t window_warmup : kWindowWarmups) {
    const std::size_t warmup = std::min(window_warmup, all_warmups);
    const std::vector<double> window_ms = window(steps, warmup, count);
    if (count == 0 || window_ms.size() != count) continue;
    row.windows[warmup] = summarize(window_ms);
    if (warmup == all_warmups && has_outlier(window_ms)) row.flags = {"outlier"};
  }
  if (step->spec->device != DeviceKind::kCuda) return row;
  const Metric* calls = step->launch->find(metric::kStep, metric::kDeviceAllocations);
  if (calls != nullptr && calls->numbers().size() > 1)
    row.allocations = static_cast<std::int64_t>(calls->numbers()[1]);
  return row;
}

/// Makes a row whose windows were each measured in a process of their own.
WarmupRow separate_processes_row(const TimingGroup& group, Mode mode) {
  WarmupRow row{&group, mode, std::string(describe(mode)) + ", own processes"};
  for (const Cell* cell : group.window_cells) {
    const Launch* launch = cell->spec.mode == mode ? ok_launch(*cell) : nullptr;
    if (launch == nullptr) continue;
    const auto window_ms =
        TimedLaunch{&cell->spec, launch}.ms_after_warmup(metric::kStep, metric::kTotal);
    const auto warmup = static_cast<std::size_t>(cell->spec.warmup.value_or(0));
    if (!window_ms.empty()) row.windows[warmup] = summarize(window_ms);
  }
  return row;
}

WarmupRows warmup_rows(const std::vector<TimingGroup>& groups) {
  WarmupRows rows;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      if (mode == Mode::kInference) continue;
      rows.push_back(warmup_row(group, mode));
      rows.push_back(separate_processes_row(group, mode));
      if (rows.back().windows.empty()) rows.pop_back();
    }
  }
  return rows;
}

/// Makes a table, with a column of modes if the rows have several, and perhaps of cudaMalloc's
/// calls.
Dataset windows_dataset(const std::string& name, const WarmupRows& rows, bool with_allocations) {
  std::map<std::size_t, Summary> all_windows;
  for (const WarmupRow& row : rows) all_windows.insert(row.windows.begin(), row.windows.end());
  std::vector<Column<WarmupRow>> columns{
      {"size", "Size", [](const WarmupRow& row) { return row.group->name; }}};
  if (distinct(each(rows, &WarmupRow::mode_words)).size() > 1)
    columns.push_back({"mode", "Mode", &WarmupRow::mode_words});
  const auto context = [](const WarmupRow& row) { return row.group->context; };
  columns.push_back({"context", "Context", context, "", kAsCount});
  const auto first = [](const WarmupRow& row) {
    return row.first_steps_ms.empty() ? Value::missing(row.reason) : Value(row.first_step_ms());
  };
  columns.push_back({"first", "First step", first, "ms"});
  for (const auto& [warmup, first_window] : all_windows) {
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
    return row.is_comparable() ? row.ratio_to_warm(0) : std::nullopt;
  };
  columns.push_back({"rise", "Cold ÷ warm", ratio, "×", {Notation::kFixed, 2}});
  const auto spread = [](const WarmupRow& row) {
    return row.spread_after_one() > 0 ? Value(row.spread_after_one()) : Value();
  };
  columns.push_back(
      {"spread", "Deviation, 1 ÷ all warm-up steps", spread, "×", {Notation::kFixed, 2}});
  if (with_allocations)
    columns.push_back(
        {"allocations", "cudaMalloc calls, step 2", &WarmupRow::allocations, "", kAsCount});
  return make_dataset(name, columns, rows);
}

/// A process's first step. If it was profiled, the CPU's times are known for loading CUDA modules,
/// initializing cuBLAS and allocating memory, and the GPU's time in kernels is `busy_ms`.
struct FirstStep {
  const WarmupRow* row;
  std::optional<double> whole_ms = {}, modules_ms = {}, cublas_ms = {}, allocation_ms = {};
  std::optional<double> busy_ms = {};

  FirstStep(const RunView& view, const WarmupRow& warmup_row) : row(&warmup_row) {
    const Launch* launch = profiled_first_step(view, row->group->spec, row->mode);
    if (launch == nullptr) return;
    whole_ms = single_milliseconds(*launch, metric::kProfile, metric::kStep);
    modules_ms = single_milliseconds(*launch, metric::kFirstLaunches, metric::kCodeLoading);
    cublas_ms = single_milliseconds(*launch, metric::kFirstLaunches, metric::kCublasSetup);
    allocation_ms = single_milliseconds(*launch, metric::kRuntime, metric::kAllocation);
    busy_ms = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
  }
  bool has_causes() const {
    return whole_ms && modules_ms && cublas_ms && allocation_ms && busy_ms;
  }
  /// Returns the time for loading modules and initializing cuBLAS; needs `has_causes()`.
  double initialization_ms() const { return *modules_ms + *cublas_ms; }
  /// Returns the extra time of unprofiled first steps over a steady step.
  double extra_ms() const { return row->first_step_ms() - row->steady_ms(); }
  /// True if initialization in the profiled step takes half to twice the extra time.
  bool initialization_explains() const {
    return initialization_ms() >= extra_ms() / 2 && initialization_ms() <= 2 * extra_ms();
  }
  /// Splits the step by cause. Kernels overlap CPU work, so they get at most the time that is left.
  std::vector<std::pair<const char*, double>> causes_ms() const {
    if (!has_causes()) return {{"first step", row->first_step_ms()}};
    const double left_ms = std::max(*whole_ms - initialization_ms() - *allocation_ms, 0.0);
    const double kernels_ms = std::min(*busy_ms, left_ms);
    return {{"CUDA module loading", *modules_ms},
            {"cuBLAS init", *cublas_ms},
            {"allocation", *allocation_ms},
            {"kernels", kernels_ms},
            {"rest", left_ms - kernels_ms}};
  }
};

using FirstSteps = std::vector<FirstStep>;

const std::vector<Column<FirstStep>> kFirstStep{
    {"size", "Size", [](const FirstStep& step) { return step.row->group->name; }},
    {"context", "Context", [](const FirstStep& step) { return step.row->group->context; }, "",
     kAsCount},
    {"first", "First step", [](const FirstStep& step) { return step.row->first_step_ms(); }, "ms"},
    {"whole", "First step (profiled)", &FirstStep::whole_ms, "ms"},
    {"modules", "CUDA module loading", &FirstStep::modules_ms, "ms"},
    {"library", "cuBLAS initialization", &FirstStep::cublas_ms, "ms"},
    {"allocation", "Allocation", &FirstStep::allocation_ms, "ms"},
    {"busy", "Kernels busy", &FirstStep::busy_ms, "ms"},
    {"steady", "Steady state", [](const FirstStep& step) { return step.row->steady_ms(); }, "ms"},
    {"label", "Label", [](const FirstStep& step) { return step.row->label(); }}};

/// A segment of a bar: the first step by cause, or a steady step.
struct Segment {
  const TimingGroup* group;
  std::string bar, cause;
  double ms;
};

const std::vector<Column<Segment>> kSegments{
    {"size", "Size", [](const Segment& segment) { return segment.group->name; }},
    {"context", "Context", [](const Segment& segment) { return segment.group->context; }, "",
     kAsCount},
    {"bar", "Step", &Segment::bar},
    {"cause", "Cause", &Segment::cause},
    {"ms", "Time", &Segment::ms, "ms"},
    {"label", "Label", [](const Segment& segment) { return segment.group->label; }}};

std::vector<Segment> bar_segments(const FirstSteps& steps) {
  std::vector<Segment> segments;
  for (const FirstStep& step : steps) {
    for (const auto& [cause, ms] : step.causes_ms()) {
      if (ms > 0) segments.push_back({step.row->group, "first step", cause, ms});
    }
    segments.push_back({step.row->group, "steady state", "steady state", step.row->steady_ms()});
  }
  return segments;
}

/// True if all first steps were profiled and initialization takes most of their extra time.
bool are_explained(const FirstSteps& steps) {
  return std::ranges::all_of(steps, [](const FirstStep& step) {
    return step.has_causes() && step.initialization_explains();
  });
}

/// Returns why first steps take longer, or what they do besides if no profile shows its time.
std::string first_step_reason(const FirstSteps& steps) {
  if (are_explained(steps)) return ", mostly loading CUDA modules and initializing cuBLAS";
  const bool on_gpu = steps.front().row->group->spec.device == DeviceKind::kCuda;
  return on_gpu ? "; they load CUDA modules, too" : "; no profile shows why";
}

/// Returns the mode's rows whose windows can be compared.
WarmupRows comparable_rows(const WarmupRows& all, Mode mode) {
  return only(all,
              [mode](const WarmupRow& row) { return row.mode == mode && row.is_comparable(); });
}

/// Returns how often the second step calls cudaMalloc at most in modes other than training.
std::int64_t allocations_without_optimizer(const WarmupRows& all) {
  std::int64_t most = 0;
  for (const WarmupRow& row : all) {
    if (row.mode != Mode::kTrainStep) most = std::max(most, row.allocations.value_or(0));
  }
  return most;
}

/// Tells how much more steps deviate after one warm-up step than later, and which step makes the
/// difference if a single one does. The second allocates if it calls cudaMalloc more often than in
/// all other modes.
Facts late_facts(const WarmupRows& all, const WarmupRow& late) {
  const auto slow_step = late.slow_step();
  const bool allocates = late.mode == Mode::kTrainStep && slow_step == 1 &&
                         late.allocations.value_or(0) > allocations_without_optimizer(all);
  const bool is_named = slow_step && *slow_step < kOrdinals.size();
  const std::string longer =
      is_named ? ", as the " + std::string(kOrdinals.at(*slow_step)) + " is longer" : "";
  return Facts()
      .set("size", late.label())
      .set("steps", step_words(late.mode) + "s")
      .set("spread", format_factor(late.spread_after_one()))
      .set("reason", allocates ? ", as the second allocates beside AdamW's state" : longer);
}

/// Says that memory still grows in the second step, which may make it longer in another process.
std::string growth_words(const WarmupRows& rows) {
  const auto grows = [](const WarmupRow& row) { return row.allocations.value_or(0) > 0; };
  const auto in_training = [](const WarmupRow& row) { return row.mode == Mode::kTrainStep; };
  const WarmupRows growing = only(rows, grows);
  if (growing.empty()) return "";
  return std::ranges::all_of(growing, in_training)
             ? ", though AdamW's new state lets the second allocate"
             : ", though the second allocates";
}

/// Writes the largest relative difference: "up to −3.3 %", "less than 0.1 %".
std::string change_words(const WarmupRows& rows) {
  const auto changes =
      each(rows, [](const WarmupRow& row) { return row.ratio_to_warm(1).value_or(1) - 1; });
  const double most = *std::ranges::max_element(changes, {}, [](double x) { return std::abs(x); });
  if (std::abs(most) < 0.0005) return "less than 0.1 %";
  return std::string("up to ") + (most < 0 ? "−" : "+") + format_rough_percent(std::abs(most)) +
         " %";
}

/// True if some rows' later steps have no outlier, and one warm-up step suffices for all of these.
bool settle_after_one(const WarmupRows& judged) {
  return !judged.empty() && std::ranges::all_of(judged, &WarmupRow::settles_after_one);
}

/// A stalled or uneven later step would hide how far means are from later ones.
bool is_steady(const WarmupRow& row) {
  const Summary& warm = row.warm_window();
  return row.flags.empty() && warm.stddev <= kLargestSteadyDeviation * warm.mean;
}

std::string brief_words(Mode mode) {
  return mode == Mode::kTrainStep ? "training" : std::string(describe(mode));
}

/// Names the rows that are not judged: "small and xl's uneven training". Empty if all are judged.
/// All of `rows` have the same mode.
std::string unjudged_words(const WarmupRows& rows) {
  const WarmupRows uneven = only(rows, std::not_fn(is_steady));
  if (uneven.empty()) return "";
  return join_words(each(uneven, &WarmupRow::label)) + "'s uneven " +
         brief_words(uneven.front().mode);
}

/// Tells for which steps one warm-up step suffices, and which of these are not judged. Returns
/// nothing if it suffices for none. All of `rows` have the same mode, and no row settles late.
std::optional<Facts> settled_facts(const WarmupRows& rows, const WarmupRows& training) {
  WarmupRows judged = only(rows, is_steady);
  if (!settle_after_one(judged)) return std::nullopt;
  const Mode mode = rows.front().mode;
  std::string tested = brief_words(mode);
  std::vector<std::string> unjudged{unjudged_words(rows)};
  const WarmupRows judged_training = only(training, is_steady);
  if (mode != Mode::kTrainStep && settle_after_one(judged_training)) {
    tested += " and " + brief_words(Mode::kTrainStep);
    unjudged.push_back(unjudged_words(training));
    std::ranges::copy(judged_training, std::back_inserter(judged));
  }
  std::erase(unjudged, "");
  return Facts()
      .set("tested", tested)
      .set("unjudged", unjudged.empty() ? "" : " (not judged: " + join_words(unjudged) + ")")
      .set("growth", growth_words(judged))
      .set("change", change_words(judged));
}

/// Returns the answer's sentences. All of `rows` have the same mode, `all` have any.
Facts answer_facts(const WarmupRows& all, const WarmupRows& rows, const FirstSteps& first_steps) {
  if (rows.empty()) return Facts().choose({"first_step", "settled", "late", "explained"}, "", {});
  const WarmupRow& slowest = *largest(rows, &WarmupRow::rise);
  const auto count = static_cast<std::int64_t>(slowest.cold_window().count);
  const auto extra_ms = each(first_steps, &FirstStep::extra_ms);
  const double least_ms = std::ranges::min(extra_ms), most_ms = std::ranges::max(extra_ms);
  const WarmupRows training = comparable_rows(all, Mode::kTrainStep);
  WarmupRows settling_late = only(rows, &WarmupRow::settles_late);
  if (settling_late.empty()) settling_late = only(training, &WarmupRow::settles_late);
  const bool raises = slowest.first_step_raises_mean() && least_ms > 0;
  return Facts()
      .when("first_step", raises,
            Facts()
                .set("steps", format_plural(count, step_words(slowest.mode)))
                .set("rise", format_ratio(slowest.rise()))
                .set("size", slowest.label())
                .set("warm", slowest.warm_window().stddev, {Notation::kSignificant, 2})
                .set("cold", slowest.cold_window().stddev, kThreeDigits)
                .set("extra",
                     from_to(format_significant(least_ms, 3), format_significant(most_ms, 3)))
                .set("reason", first_step_reason(first_steps)))
      .when("settled", settling_late.empty() ? settled_facts(rows, training) : std::nullopt)
      .when("late", settling_late.empty()
                        ? std::nullopt
                        : std::optional(late_facts(
                              all, *largest(settling_late, &WarmupRow::spread_after_one))))
      .flag("explained", raises && are_explained(first_steps));
}

}  // namespace

PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups) {
  const WarmupRows all = warmup_rows(groups);
  const WarmupRows comparable = only(all, &WarmupRow::is_comparable);
  // The answer describes forward+backward, which every edition shows, or else the first mode.
  const bool has_forward_backward =
      std::ranges::count(comparable, Mode::kForwardBackward, &WarmupRow::mode) > 0;
  const Mode mode =
      has_forward_backward || comparable.empty() ? Mode::kForwardBackward : comparable.front().mode;
  const auto has_mode = [mode](const WarmupRow& row) { return row.mode == mode; };
  const WarmupRows rows = comparable_rows(all, mode);
  const auto first_steps = each(rows, [&](const WarmupRow& row) { return FirstStep(view, row); });
  PartContent part;
  part.facts = answer_facts(all, rows, first_steps);
  part.facts.flag("profiled", std::ranges::any_of(first_steps, &FirstStep::has_causes));
  part.facts.set("mode", describe(mode));
  part.datasets = {windows_dataset("windows", only(all, has_mode), false),
                   windows_dataset("every-window", all, view.on_gpu()),
                   make_dataset("first-step", kFirstStep, first_steps),
                   make_dataset("first-step-causes", kSegments, bar_segments(first_steps))};
  return part;
}

}  // namespace labreport::benchmarking_script
