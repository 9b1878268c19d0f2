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

constexpr double kNoticeable = 0.01;    // A smaller change is none.
constexpr double kClearDeviations = 2;  // Of one step from the warm ones, to call it slow.
constexpr double kFixedCost = 1.5;      // Between sizes, to call it the same for all.
constexpr std::size_t kWindows[]{0, 1, 2, 5};
constexpr std::size_t kMostShown = 6;  // Of the first steps, and of processes.

/// One network in one mode: times in ms from the process's first step, as windows of `count` steps
/// each after so many warm-up steps; or why there are none.
struct WarmupRow {
  std::string size;
  Mode mode;
  std::string name;  ///< Of the mode; of windows in processes of their own that, too.
  const TimingGroup* group;
  std::vector<double> steps;
  std::vector<double> first_steps;  ///< Of every fresh process.
  std::map<std::size_t, Summary> windows;
  std::string reason;

  Value first() const {
    return first_steps.empty() ? Value::missing(reason) : Value(median(first_steps));
  }
  const Summary& cold() const { return windows.begin()->second; }
  const Summary& warm() const { return windows.rbegin()->second; }
  /// Of one process that also took the first steps.
  bool comparable() const { return !steps.empty() && windows.size() > 1 && warm().median > 0; }
  /// The mean after so many warm-up steps over the warm mean.
  std::optional<double> ratio(std::size_t warmup) const {
    const auto window = windows.find(warmup);
    return window == windows.end() ? std::nullopt : quotient(window->second.mean, warm().mean);
  }
  double rise(std::size_t warmup) const { return ratio(warmup).value_or(1) - 1; }
  double second_rise() const { return steps.size() < 2 ? 0 : steps[1] / warm().median - 1; }
  double spread() const { return warm().coefficient_of_variation(); }
  double extra() const { return median(first_steps) - warm().median; }
  /// The second step is slower than the warm ones by more than they vary.
  bool second_is_slow() const {
    return second_rise() > std::max(kNoticeable, kClearDeviations * spread());
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
  WarmupRow row{group.label, mode, std::string(describe(mode)), &group, {}, {}, {}, {}};
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
  WarmupRow row{group.label, mode, std::string(describe(mode)) + ", own processes", &group, {}, {},
                {},          {}};
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

Dataset windows(const std::vector<WarmupRow>& rows) {
  std::set<std::size_t> warmups;
  for (const WarmupRow& row : rows) {
    for (const auto& [warmup, summary] : row.windows) warmups.insert(warmup);
  }
  std::vector<Column<WarmupRow>> columns{
      {"size", "Size", &WarmupRow::size},
      {"mode", "Mode", &WarmupRow::name},
      {"first", "First step (median)", [](const WarmupRow& row) { return row.first(); }, "ms"}};
  for (const std::size_t warmup : warmups) {
    const auto mean = [warmup](const WarmupRow& row) {
      const auto found = row.windows.find(warmup);
      if (found == row.windows.end()) return Value();
      return Value(found->second.mean, found->second.stddev);
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
  return make_dataset("windows", columns, rows);
}

/// Up to six times of a row in columns: "Step 1", "Step 2".
Dataset side_by_side(const std::string& name, const std::string& sample,
                     std::vector<double> WarmupRow::* samples, const std::vector<WarmupRow>& rows) {
  std::vector<Column<WarmupRow>> columns{{"size", "Size", &WarmupRow::size},
                                         {"mode", "Mode", &WarmupRow::name}};
  for (std::size_t place = 0; place < kMostShown; ++place) {
    const auto value = [=](const WarmupRow& row) {
      const std::vector<double>& all = row.*samples;
      return place < all.size() ? Value(all[place]) : Value();
    };
    const std::string number = std::to_string(place + 1);
    columns.push_back({"s" + number, sample + " " + number, value, "ms"});
  }
  return make_dataset(name, columns, rows);
}

/// A process's first step; ms. Where it was profiled, by what the CPU did, and beside it all
/// kernels.
struct FirstStep {
  const WarmupRow* row;
  std::optional<double> whole, modules, library, allocation, busy;

  bool explained() const { return modules && library && allocation; }
  double causes() const {
    return *modules + *library + *allocation;
  }  ///< Of one that is explained.
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
  if (launch == nullptr) return {&row, median(row.first_steps), {}, {}, {}, {}};
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

/// Kernels run beside what the CPU does: those count that no other cause hides.
std::vector<Segment> segments(const std::vector<FirstStep>& steps) {
  std::vector<Segment> all;
  for (const FirstStep& step : steps) {
    const auto add = [&](const char* bar, const char* cause, double ms) {
      if (ms > 0) all.push_back({step.row->size, bar, cause, ms});
    };
    const double whole = step.whole.value_or(0);
    if (step.explained()) {
      const double left = std::max(whole - step.causes(), 0.0);
      const double kernels = std::min(step.busy.value_or(0), left);
      add("first step", "CUDA module loading", *step.modules);
      add("first step", "cuBLAS initialisation", *step.library);
      add("first step", "allocation", *step.allocation);
      add("first step", "kernels", kernels);
      add("first step", "rest", left - kernels);
    } else {
      add("first step", "first step", whole);
    }
    add("steady state", "steady state", step.row->warm().median);
  }
  return all;
}

/// "47 % higher", "8.1 × as high".
std::string rise_words(const WarmupRow& row) {
  const double ratio = 1 + row.rise(0);
  if (told_as_factor(ratio) || ratio > 1.99) return format_factor(ratio) + " × as high";
  return format_rough_percent(std::abs(row.rise(0))) + (ratio < 1 ? " % lower" : " % higher");
}

template <typename Row, typename Get>
std::vector<double> each(const std::vector<Row>& rows, Get get) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(std::invoke(get, row));
  return values;
}

double largest_residue(const std::vector<WarmupRow>& rows, std::size_t warmup) {
  return std::ranges::max(
      each(rows, [=](const WarmupRow& row) { return std::abs(row.rise(warmup)); }));
}

/// How far means after so many warm-up steps lie from the warm ones, rounded up, since "within 0.0
/// %" would not be true: "0.1 %", "a factor of 14".
std::string bound_words(const std::vector<WarmupRow>& rows, std::size_t warmup) {
  const auto factors = each(rows, [=](const WarmupRow& row) {
    const double ratio = 1 + row.rise(warmup);
    return std::max(ratio, quotient(1, ratio).value_or(1));
  });
  const double factor = std::ranges::max(factors);
  if (told_as_factor(factor)) {
    const double unit = std::pow(10.0, std::floor(std::log10(factor)) - 1);  // Two digits.
    return "a factor of " + format_factor(std::ceil(factor / unit) * unit);
  }
  const double share = largest_residue(rows, warmup);
  const double step = share < 0.1 ? 1e-3 : 1e-2;
  return format_rough_percent(std::ceil(share / step) * step) + " %";
}

void set_row(Facts& facts, const std::string& prefix, const WarmupRow& row) {
  facts.set(prefix, row.size);
  facts.set(prefix + "_rise", rise_words(row));
  facts.set(prefix + "_cold", format_significant(row.cold().mean));
  facts.set(prefix + "_warm", format_significant(row.warm().mean));
  facts.set(prefix + "_sd_cold", format_significant(row.cold().stddev, 3));
  facts.set(prefix + "_sd_warm", format_significant(row.warm().stddev, 2));
  facts.set(prefix + "_first", format_significant(median(row.first_steps)));
  facts.set(prefix + "_steady", certain_digits(row.warm().median, row.warm().stddev));
}

/// The mode that the answer speaks of: the longest of part (c) that every edition shows.
std::vector<WarmupRow> answered(std::vector<WarmupRow> rows) {
  std::erase_if(rows, [](const WarmupRow& row) { return !row.comparable(); });
  const bool backward = std::ranges::count(rows, Mode::kForwardBackward, &WarmupRow::mode) > 0;
  const Mode mode = backward || rows.empty() ? Mode::kForwardBackward : rows.front().mode;
  std::erase_if(rows, [mode](const WarmupRow& row) { return row.mode != mode; });
  return rows;
}

/// Which sentence tells why the first step is slow, by what was seen of it.
std::string_view reason_for(const WarmupRow& most, const std::vector<FirstStep>& profiled,
                            const std::vector<double>& extra, const RunView& view) {
  const std::span<const double> rest = std::span(most.steps).subspan(1, most.cold().count - 1);
  if (2 * sample_stddev(rest) >= most.cold().stddev) return "first_unclear";
  if (profiled.empty()) return view.on_gpu() ? "first_not_profiled" : "first_of_cpu";
  const auto half = [](const FirstStep& step) { return 2 * step.causes() < step.row->extra(); };
  if (std::ranges::any_of(profiled, half)) return "first_partly";
  const auto [low, high] = std::ranges::minmax(extra);
  return extra.size() > 1 && high < kFixedCost * low ? "first_fixed" : "first_explained";
}

/// Requests of the allocator to the device in a step; 0 where nothing tells.
double allocations_in(const WarmupRow& row, std::size_t step) {
  const auto found = timed(*row.group, row.mode);
  const Metric* metric =
      found ? found->launch->find(metric::kStep, metric::kDeviceAllocations) : nullptr;
  const std::vector<double> counts = metric == nullptr ? std::vector<double>() : metric->numbers();
  return step < counts.size() ? counts[step] : 0;
}

void set_first_step(Facts& facts, const RunView& view, const std::vector<FirstStep>& steps,
                    const WarmupRow& most) {
  std::vector<FirstStep> profiled;
  std::ranges::copy_if(steps, std::back_inserter(profiled), &FirstStep::explained);
  const auto extra = each(profiled, [](const FirstStep& step) { return step.row->extra(); });
  Facts values;
  set_row(values, "most", most);
  values.set("rest", format_significant(sample_stddev(std::span(most.steps).subspan(1)), 2));
  values.set("extra", range_words(extra));
  for (const auto& [name, cause] : {std::pair("modules", &FirstStep::modules),
                                    {"library", &FirstStep::library},
                                    {"allocation", &FirstStep::allocation}}) {
    values.set(name, range_words(each(profiled, [&](const auto& step) { return *(step.*cause); })));
  }
  const bool rises = most.rise(0) > kNoticeable;
  const std::string_view holds = rises ? reason_for(most, profiled, extra, view) : "";
  choose(facts,
         {"first_unclear", "first_not_profiled", "first_of_cpu", "first_partly", "first_fixed",
          "first_explained"},
         holds, values);
}

/// Of several rows that rise the most and the least; or that none does.
void set_rise(Facts& facts, const std::vector<WarmupRow>& rows) {
  const auto rise = [](const WarmupRow& row) { return row.rise(0); };
  const WarmupRow& least = *std::ranges::min_element(rows, {}, rise);
  const WarmupRow& most = *std::ranges::max_element(rows, {}, rise);
  Facts values;
  set_row(values, "most", most);
  set_row(values, "least", least);
  values.set("bound", bound_words(rows, 0));
  std::string_view holds = "rise_of_several";
  if (rise_words(least) == rise_words(most)) holds = "rise_alike";
  if (rows.size() == 1) holds = "rise_of_one";
  if (most.rise(0) <= kNoticeable) holds = "flat";
  choose(facts, {"flat", "rise_of_one", "rise_alike", "rise_of_several"}, holds, values);
  facts.when("compared", values);
  std::vector<std::string> unclear;
  for (const WarmupRow& row : rows) {
    if (std::abs(row.rise(0)) <= row.spread()) unclear.push_back(row.size);
  }
  facts.when("unclear", !unclear.empty(), "sizes", join_words(unclear));
}

std::string_view second_step(const WarmupRow& row, double residue) {
  if (row.second_is_slow()) return allocations_in(row, 1) > 0 ? "second_allocates" : "second_slow";
  if (row.second_rise() > kNoticeable) return "second_unclear";
  return residue <= kNoticeable ? "one_enough" : "";
}

/// How many steps to leave out, as far as second steps and windows tell.
void set_enough(Facts& facts, const std::vector<WarmupRow>& rows) {
  const auto slowness = [](const WarmupRow& row) {
    return std::pair(row.second_is_slow(), row.second_rise());
  };
  const WarmupRow& slowest = *std::ranges::max_element(rows, {}, slowness);
  const std::size_t last = rows.front().windows.rbegin()->first;
  Facts values;
  values.set("one", bound_words(rows, 1));
  values.set("last", std::to_string(last));
  values.set("size", slowest.size);
  values.set("rise", change_words(1 + slowest.second_rise(), slowest.spread(), kLongerThan));
  values.set("spread", format_rough_percent(slowest.spread()));
  values.set("times", format_plural(static_cast<std::int64_t>(allocations_in(slowest, 1)), "time"));
  facts.when("after_one", last > 1 ? std::optional(values) : std::nullopt);
  choose(facts, {"second_allocates", "second_slow", "second_unclear", "one_enough"},
         last > 1 ? second_step(slowest, largest_residue(rows, 1)) : "", values);
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
Facts answer(const RunView& view, const std::vector<WarmupRow>& rows,
             const std::vector<FirstStep>& firsts, const std::vector<TimingGroup>& groups) {
  const auto rise = [](const WarmupRow& row) { return row.rise(0); };
  const WarmupRow& any = rows.front();
  const std::string step = any.mode == Mode::kTrainStep ? "" : " step";
  Facts facts;
  facts.set("step", std::string(describe(any.mode)) + step);
  facts.set("steps", std::to_string(any.cold().count));
  facts.set("warmup_steps",
            format_plural(static_cast<std::int64_t>(any.windows.rbegin()->first), "warm-up step"));
  set_rise(facts, rows);
  set_first_step(facts, view, firsts, *std::ranges::max_element(rows, {}, rise));
  set_enough(facts, rows);
  set_later_allocations(facts, groups);
  return facts;
}

/// First train steps, where part (c) shows them, over steady ones.
std::string train_step_extra(const std::vector<WarmupRow>& rows) {
  std::vector<double> extra;
  for (const WarmupRow& row : rows) {
    if (row.mode == Mode::kTrainStep && row.comparable()) extra.push_back(row.extra());
  }
  return range_words(extra);
}

}  // namespace

PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups) {
  const std::vector<WarmupRow> all = warmup_rows(view, groups);
  const std::vector<WarmupRow> rows = answered(all);
  const bool ran = std::ranges::any_of(all, [](const auto& row) { return !row.steps.empty(); });
  std::vector<FirstStep> firsts;
  for (const WarmupRow& row : rows) firsts.push_back(first_step(view, row));
  PartContent part;
  part.facts.flag("gpu", view.on_gpu());
  part.facts.flag("nothing", !ran);
  part.facts.flag("one_window", ran && rows.empty());
  part.facts.flag("profiled", std::ranges::any_of(firsts, &FirstStep::explained));
  const std::string train_step = train_step_extra(all);
  part.facts.when("train_step", !train_step.empty(), "extra", train_step);
  part.facts.when("answered",
                  rows.empty() ? std::nullopt : std::optional(answer(view, rows, firsts, groups)));
  part.datasets = {windows(all),
                   make_dataset("first-step", kFirstStep, firsts),
                   make_dataset("first-step-causes", kSegments, segments(firsts)),
                   side_by_side("steps", "Step", &WarmupRow::steps, all),
                   side_by_side("first-steps", "Process", &WarmupRow::first_steps, all),
                   start_up(view, groups)};
  return part;
}

}  // namespace labreport::benchmarking_script
