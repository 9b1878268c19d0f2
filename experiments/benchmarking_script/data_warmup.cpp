// Part (c): what the first steps of a fresh process cost, and how many to leave out.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>

#include "base/format.h"
#include "base/text.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/benchmarking_script/plan.h"
#include "experiments/benchmarking_script/steps.h"
#include "experiments/common/change.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kNoticeable = 0.01;  // A smaller change is none.
constexpr double kFixedCost = 1.5;    // Between sizes, to call it the same for all.
constexpr std::size_t kWindows[]{0, 1, 2, 5};
constexpr std::size_t kMostShown = 6;  // Of the first steps.

/// One network in one mode: times in ms from the process's first step, as windows of `count` steps
/// each after so many warm-up steps; or why there are none.
struct WarmupRow {
  std::string size;
  Mode mode;
  std::string name;  ///< Of the mode; of windows in processes of their own that, too.
  const TimingGroup* group;
  std::vector<double> steps = {};
  std::vector<double> first_steps = {};  ///< Of every fresh process.
  std::map<std::size_t, Summary> windows = {};
  std::string reason = {};

  Value first() const {
    return first_steps.empty() ? Value::missing(reason) : Value(median(first_steps));
  }
  const Summary& cold() const { return windows.begin()->second; }
  const Summary& warm() const { return windows.rbegin()->second; }
  std::optional<Summary> after(std::size_t warmup) const {
    const auto found = windows.find(warmup);
    return found == windows.end() ? std::nullopt : std::optional(found->second);
  }
  /// Of one process that also took the first steps.
  bool comparable() const { return !steps.empty() && windows.size() > 1 && warm().median > 0; }
  /// The mean after so many warm-up steps over the warm mean.
  std::optional<double> ratio(std::size_t warmup) const {
    const auto window = after(warmup);
    return window ? quotient(window->mean, warm().mean) : std::nullopt;
  }
  double rise(std::size_t warmup) const { return ratio(warmup).value_or(1) - 1; }
  double extra() const { return median(first_steps) - warm().median; }
  /// The second step makes at least half of what one warm-up step leaves.
  bool second_is_slow() const {
    const double more = steps.size() < 2 ? 0 : steps[1] - warm().median;
    return 2 * more >= rise(1) * warm().mean * static_cast<double>(warm().count);
  }
};

std::vector<double> first_steps(const TimingGroup& group, Mode mode) {
  std::vector<double> firsts;
  for (const auto* cells : {&group.cells, &group.first_only}) {
    const auto found = cells->find(mode);
    if (found == cells->end()) continue;
    for (const Launch& launch : found->second->launches) {
      const auto steps = milliseconds(launch, metric::kStep, metric::kTotal);
      if (is_ok(launch.outcome) && !steps.empty()) firsts.push_back(steps.front());
    }
  }
  return firsts;
}

WarmupRow warmup_row(const TimingGroup& group, Mode mode) {
  WarmupRow row{group.label, mode, std::string(describe(mode)), &group};
  row.first_steps = first_steps(group, mode);
  row.reason = reason_missing(group, mode);
  const auto found = timed(group, mode);
  if (!found) return row;
  row.steps = milliseconds(*found->launch, metric::kStep, metric::kTotal);
  const auto last = static_cast<std::size_t>(found->spec->warmup.value_or(0));
  const auto count = static_cast<std::size_t>(found->spec->steps.value_or(0));
  std::set<std::size_t> warmups{last};
  std::ranges::copy_if(kWindows, std::inserter(warmups, warmups.end()),
                       [last](std::size_t warmup) { return warmup < last; });
  for (const std::size_t warmup : warmups) {
    const std::vector<double> counted = window(row.steps, warmup, count);
    if (count > 0 && counted.size() == count) row.windows[warmup] = summarize(counted);
  }
  return row;
}

/// Windows of processes of their own, each after other warm-up steps: no row where there are none.
std::optional<WarmupRow> row_apart(const TimingGroup& group, Mode mode) {
  WarmupRow row{group.label, mode, std::string(describe(mode)) + ", own processes", &group};
  for (const Cell* cell : group.others) {
    const Launch* launch = cell->spec.mode == mode ? ok_launch(*cell) : nullptr;
    if (launch == nullptr) continue;
    const auto counted = Timed{&cell->spec, launch}.counted(metric::kStep, metric::kTotal);
    if (counted.empty()) continue;
    row.windows[static_cast<std::size_t>(cell->spec.warmup.value_or(0))] = summarize(counted);
  }
  return row.windows.empty() ? std::nullopt : std::optional(row);
}

std::vector<WarmupRow> warmup_rows(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<WarmupRow> rows;
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      if (!is_warmup_mode(view.edition(), mode)) continue;
      rows.push_back(warmup_row(group, mode));
      if (auto apart = row_apart(group, mode)) rows.push_back(std::move(*apart));
    }
  }
  return rows;
}

/// Names modes where there are several.
Dataset windows(const std::string& name, const std::vector<WarmupRow>& rows) {
  std::set<std::size_t> warmups;
  for (const WarmupRow& row : rows) {
    for (const auto& [warmup, summary] : row.windows) warmups.insert(warmup);
  }
  std::vector<Column<WarmupRow>> columns{{"size", "Size", &WarmupRow::size}};
  const auto other = [&](const WarmupRow& row) { return row.name != rows.front().name; };
  if (std::ranges::any_of(rows, other)) columns.push_back({"mode", "Mode", &WarmupRow::name});
  columns.push_back(
      {"first", "First step (median)", [](const WarmupRow& row) { return row.first(); }, "ms"});
  for (const std::size_t warmup : warmups) {
    const auto mean = [warmup](const WarmupRow& row) {
      const auto found = row.after(warmup);
      return found ? Value(found->mean, found->stddev) : Value();
    };
    columns.push_back({"w" + std::to_string(warmup),
                       format_plural(static_cast<std::int64_t>(warmup), "warm-up step"), mean,
                       "ms"});
  }
  columns.push_back(
      {"rise",
       "No warm-up vs. warm",
       [](const WarmupRow& row) { return row.comparable() ? row.ratio(0) : std::nullopt; },
       "×",
       {Notation::kFixed, 2}});
  return make_dataset(name, columns, rows);
}

/// "Step 1", "Step 2", … of each process side by side.
Dataset first_few(const std::vector<WarmupRow>& rows) {
  std::vector<Column<WarmupRow>> columns{{"size", "Size", &WarmupRow::size},
                                         {"mode", "Mode", &WarmupRow::name}};
  for (std::size_t step = 0; step < kMostShown; ++step) {
    const std::string number = std::to_string(step + 1);
    const auto value = [step](const WarmupRow& row) {
      return step < row.steps.size() ? Value(row.steps[step]) : Value();
    };
    columns.push_back({"s" + number, "Step " + number, value, "ms"});
  }
  return make_dataset("steps", columns, rows);
}

/// A process's first step; ms. Where it was profiled, by what the CPU did, and beside it all
/// kernels.
struct FirstStep {
  const WarmupRow* row;
  std::optional<double> whole, modules = {}, library = {}, allocation = {}, busy = {};

  bool explained() const { return modules && library && allocation; }
  /// Of one that is explained.
  double causes() const { return *modules + *library + *allocation; }
  /// Kernels run beside what the CPU does: those count that no other cause hides.
  std::optional<double> kernels() const {
    if (!explained()) return std::nullopt;
    return std::min(busy.value_or(0), std::max(whole.value_or(0) - causes(), 0.0));
  }
  std::optional<double> rest() const {
    if (!explained()) return whole;
    return std::max(whole.value_or(0) - causes() - *kernels(), 0.0);
  }
};

const std::vector<Column<FirstStep>> kFirstStep{
    {"size", "Size", [](const FirstStep& step) { return step.row->size; }},
    {"whole", "First step", &FirstStep::whole, "ms"},
    {"modules", "CUDA module loading", &FirstStep::modules, "ms"},
    {"library", "cuBLAS initialisation", &FirstStep::library, "ms"},
    {"allocation", "Allocation", &FirstStep::allocation, "ms"},
    {"busy", "Kernels busy", &FirstStep::busy, "ms"},
    {"steady", "Steady state", [](const FirstStep& step) { return step.row->warm().median; },
     "ms"}};

/// Of one that was not profiled, the median of all processes alone.
FirstStep first_step(const RunView& view, const WarmupRow& row) {
  const Launch* launch =
      row.mode == Mode::kForwardBackward ? profiled_first_step(view, row.group->spec) : nullptr;
  if (launch == nullptr) return {&row, median(row.first_steps)};
  return {&row,
          single_milliseconds(*launch, metric::kProfile, metric::kStep),
          single_milliseconds(*launch, metric::kFirst, metric::kCodeLoading),
          single_milliseconds(*launch, metric::kFirst, metric::kMatrixLibrary),
          single_milliseconds(*launch, metric::kRuntime, metric::kAllocation),
          single_milliseconds(*launch, metric::kProfile, metric::kBusy)};
}

/// A segment of a bar: the first step by cause, or a steady step.
struct Segment {
  std::string size, bar, cause;
  double ms;
};

const std::vector<Column<Segment>> kSegments{{"size", "Size", &Segment::size},
                                             {"bar", "Step", &Segment::bar},
                                             {"cause", "Cause", &Segment::cause},
                                             {"ms", "Time", &Segment::ms, "ms"}};

std::vector<Segment> segments(const std::vector<FirstStep>& steps) {
  std::vector<Segment> all;
  for (const FirstStep& step : steps) {
    const std::string& size = step.row->size;
    for (const auto& [cause, ms] : {std::pair("CUDA module loading", step.modules),
                                    {"cuBLAS initialisation", step.library},
                                    {"allocation", step.allocation},
                                    {"kernels", step.kernels()},
                                    {step.explained() ? "rest" : "first step", step.rest()}}) {
      if (ms.value_or(0) > 0) all.push_back({size, "first step", cause, *ms});
    }
    all.push_back({size, "steady state", "steady state", step.row->warm().median});
  }
  return all;
}

/// "47 % higher", "8.1 × as high".
std::string rise_words(const WarmupRow& row, std::size_t warmup) {
  const double ratio = 1 + row.rise(warmup);
  if (told_as_factor(ratio) || ratio > 1.99) return format_factor(ratio) + " × as high";
  return format_rough_percent(std::abs(ratio - 1)) + (ratio < 1 ? " % lower" : " % higher");
}

template <typename Row, typename Get>
std::vector<double> each(const std::vector<Row>& rows, Get get) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(std::invoke(get, row));
  return values;
}

/// How far small residues go, rounded up, since "within 0.0 %" would not be true: "0.1 %".
std::string bound_words(const std::vector<WarmupRow>& rows, std::size_t warmup) {
  const double share = std::ranges::max(
      each(rows, [=](const WarmupRow& row) { return std::abs(row.rise(warmup)); }));
  return format_rough_percent(std::ceil(share * 1e3) / 1e3) + " %";
}

/// The row that rises most: without warm-up, and warm.
void set_most(Facts& facts, const WarmupRow& row) {
  facts.set("most", row.size);
  facts.set("most_rise", rise_words(row, 0));
  facts.set("most_cold", row.cold().mean, {});
  facts.set("most_warm", row.warm().mean, {});
  facts.set("most_sd_cold", row.cold().stddev, {Notation::kSignificant, 3});
  facts.set("most_sd_warm", row.warm().stddev, {Notation::kSignificant, 2});
  facts.set("most_first", median(row.first_steps), {});
  facts.set("most_steady", certain_digits(row.warm().median, row.warm().stddev));
}

/// The mode that the answer speaks of: the longest of part (c) that every edition shows.
Mode answered_mode(const std::vector<WarmupRow>& rows) {
  const auto backward = [](const WarmupRow& row) {
    return row.mode == Mode::kForwardBackward && row.comparable();
  };
  const auto known = std::ranges::find_if(rows, &WarmupRow::comparable);
  const bool other = known != rows.end() && std::ranges::none_of(rows, backward);
  return other ? known->mode : Mode::kForwardBackward;
}

std::vector<WarmupRow> of_mode(std::vector<WarmupRow> rows, Mode mode) {
  std::erase_if(rows, [mode](const WarmupRow& row) { return row.mode != mode; });
  return rows;
}

/// The causes make at least half of what each first step takes longer, and later steps vary less.
bool first_explains(const WarmupRow& most, const std::vector<FirstStep>& profiled) {
  const std::span<const double> rest = std::span(most.steps).subspan(1, most.cold().count - 1);
  const auto half = [](const FirstStep& step) { return 2 * step.causes() >= step.row->extra(); };
  return 2 * sample_stddev(rest) < most.cold().stddev && !profiled.empty() &&
         std::ranges::all_of(profiled, half);
}

/// Requests of the allocator to the device in a step; 0 where nothing tells.
double allocations_in(const WarmupRow& row, std::size_t step) {
  const auto found = timed(*row.group, row.mode);
  const Metric* metric =
      found ? found->launch->find(metric::kStep, metric::kDeviceAllocations) : nullptr;
  const auto counts = metric == nullptr ? std::vector<double>() : metric->numbers();
  return step < counts.size() ? counts[step] : 0;
}

/// What the first step of these networks spends its time on; or how long that of `most` takes.
void set_first_step(Facts& facts, const std::vector<FirstStep>& steps, const WarmupRow& most) {
  std::vector<FirstStep> profiled;
  std::ranges::copy_if(steps, std::back_inserter(profiled), &FirstStep::explained);
  const auto extra = each(profiled, [](const FirstStep& step) { return step.row->extra(); });
  Facts values;
  values.set("extra", range_words(extra));
  values.flag("fixed",
              extra.size() > 1 && std::ranges::max(extra) < kFixedCost * std::ranges::min(extra));
  for (const auto& [name, cause] :
       {std::pair("modules", &FirstStep::modules), {"library", &FirstStep::library}}) {
    values.set(name, range_words(each(profiled, [&](const auto& step) { return *(step.*cause); })));
  }
  const bool slow = most.rise(0) > kNoticeable, explained = first_explains(most, profiled);
  facts.when("first_explained", slow && explained ? std::optional(values) : std::nullopt);
  facts.flag("first_unexplained", slow && !explained);
}

/// Whether one step is enough to leave out, and why not.
void set_enough(Facts& facts, const std::vector<WarmupRow>& rows) {
  const auto residue = [](const WarmupRow& row) { return std::abs(row.rise(1)); };
  const WarmupRow& farthest = *std::ranges::max_element(rows, {}, residue);
  const double allocations = allocations_in(farthest, 1);
  Facts values;
  values.set("one", bound_words(rows, 1));
  values.set("size", farthest.size);
  values.set("rise", rise_words(farthest, 1));
  values.flag("allocates", farthest.second_is_slow() && allocations > 0);
  values.set("times", format_plural(static_cast<std::int64_t>(allocations), "time"));
  const char* holds = residue(farthest) <= kNoticeable ? "one_enough" : "one_short";
  const bool compared = rows.front().windows.rbegin()->first > 1;
  choose(facts, {"one_enough", "one_short"}, compared ? holds : "", values);
}

/// Networks of which a counted step allocated from the device, after all its warm-up steps.
void set_later_allocations(Facts& facts, const std::vector<TimingGroup>& groups) {
  std::vector<std::string> sizes;
  for (const TimingGroup& group : groups) {
    const auto step = fullest(group);
    const auto words = step ? disturbances(*step) : std::vector<std::string>();
    if (std::ranges::count(words, "allocated in step") > 0) sizes.push_back(group.label);
  }
  facts.when("later_allocations", !sizes.empty(), "sizes", join_words(sizes));
}

/// What one mode's rows say, at least one.
Facts answer(const std::vector<WarmupRow>& rows, const std::vector<FirstStep>& firsts,
             const std::vector<TimingGroup>& groups) {
  const auto rise = [](const WarmupRow& row) { return row.rise(0); };
  const auto [least, most] = std::ranges::minmax_element(rows, {}, rise);
  const WarmupRow& any = rows.front();
  Facts facts;
  facts.set("step",
            std::string(describe(any.mode)) + (any.mode == Mode::kTrainStep ? "" : " step"));
  facts.set("steps", std::to_string(any.cold().count));
  facts.set("warmup_steps",
            format_plural(static_cast<std::int64_t>(any.windows.rbegin()->first), "warm-up step"));
  set_most(facts, *most);
  facts.set("least", least->size);
  facts.set("least_rise", rise_words(*least, 0));
  facts.set("bound", bound_words(rows, 0));
  facts.flag("rises", most->rise(0) > kNoticeable);
  facts.flag("several", rise_words(*most, 0) != rise_words(*least, 0));
  set_first_step(facts, firsts, *most);
  set_enough(facts, rows);
  set_later_allocations(facts, groups);
  return facts;
}

}  // namespace

PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups) {
  const std::vector<WarmupRow> all = warmup_rows(view, groups);
  const Mode mode = answered_mode(all);
  std::vector<WarmupRow> rows = of_mode(all, mode);
  std::erase_if(rows, [](const WarmupRow& row) { return !row.comparable(); });
  const bool ran = std::ranges::any_of(all, [](const auto& row) { return !row.steps.empty(); });
  std::vector<FirstStep> firsts;
  for (const WarmupRow& row : rows) firsts.push_back(first_step(view, row));
  PartContent part;
  part.facts.flag("gpu", view.on_gpu());
  part.facts.flag("nothing", !ran);
  part.facts.flag("one_window", ran && rows.empty());
  part.facts.flag("profiled", std::ranges::any_of(firsts, &FirstStep::explained));
  part.facts.when("answered",
                  rows.empty() ? std::nullopt : std::optional(answer(rows, firsts, groups)));
  part.facts.set("mode", describe(mode));
  part.datasets = {windows("windows", of_mode(all, mode)), windows("every-window", all),
                   make_dataset("first-step", kFirstStep, firsts),
                   make_dataset("first-step-causes", kSegments, segments(firsts)), first_few(all)};
  return part;
}

}  // namespace labreport::benchmarking_script
