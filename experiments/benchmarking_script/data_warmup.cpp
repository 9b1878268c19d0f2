// Part (c): what the first steps of a fresh process cost, and how many to leave out.
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/benchmarking_script/steps.h"
#include "experiments/common/change.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kNoticeable = 0.01;  // A smaller change is none.
constexpr double kFixedCost = 1.5;    // Between sizes, to call it the same for all.
constexpr std::size_t kWindows[]{0, 1, 2, 5, SIZE_MAX};  // The last: as many as there are.

/// One network in one mode: times in ms as windows of as many steps, each after so many warm-up
/// steps of a fresh process; or why there are none.
struct WarmupRow {
  const TimingGroup* group;
  Mode mode;
  std::string name = std::string(describe(mode));
  std::vector<double> first_steps = {};  ///< Of every fresh process that took these steps.
  std::map<std::size_t, Summary> windows = {};
  std::string reason = {};

  std::string size() const { return group->label; }
  double first() const { return median(first_steps); }
  const Summary& cold() const { return windows.begin()->second; }
  const Summary& warm() const { return windows.rbegin()->second; }
  double steady() const { return warm().median; }
  std::size_t warmup() const { return windows.rbegin()->first; }
  /// Its windows are of one process, which also took the first step.
  bool comparable() const { return !first_steps.empty() && windows.size() > 1 && steady() > 0; }
  /// The mean after so many warm-up steps over the warm mean.
  std::optional<double> ratio(std::size_t warmup) const {
    const auto found = windows.find(warmup);
    return found == windows.end() ? std::nullopt : quotient(found->second.mean, warm().mean);
  }
  double rise(std::size_t warmup) const { return ratio(warmup).value_or(1) - 1; }
  double rise_cold() const { return rise(0); }
  double residue() const { return std::abs(rise(1)); }
  double extra() const { return first() - steady(); }
};

using WarmupRows = std::vector<WarmupRow>;

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
  WarmupRow row{&group, mode};
  row.first_steps = first_steps(group, mode);
  row.reason = reason_missing(group, mode);
  const auto found = timed(group, mode);
  if (!found) return row;
  const auto steps = milliseconds(*found->launch, metric::kStep, metric::kTotal);
  const auto last = static_cast<std::size_t>(found->spec->warmup.value_or(0));
  const auto count = static_cast<std::size_t>(found->spec->steps.value_or(0));
  for (const std::size_t wanted : kWindows) {
    const std::size_t warmup = std::min(wanted, last);
    const std::vector<double> counted = window(steps, warmup, count);
    if (count > 0 && counted.size() == count) row.windows[warmup] = summarize(counted);
  }
  return row;
}

/// Windows of processes of their own, each after other warm-up steps.
WarmupRow row_apart(const TimingGroup& group, Mode mode) {
  WarmupRow row{&group, mode, std::string(describe(mode)) + ", own processes"};
  for (const Cell* cell : group.others) {
    const Launch* launch = cell->spec.mode == mode ? ok_launch(*cell) : nullptr;
    if (launch == nullptr) continue;
    const auto counted = Timed{&cell->spec, launch}.counted(metric::kStep, metric::kTotal);
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
      rows.push_back(row_apart(group, mode));
      if (rows.back().windows.empty()) rows.pop_back();
    }
  }
  return rows;
}

/// Names modes where there are several.
Dataset windows(const std::string& name, const WarmupRows& rows) {
  std::map<std::size_t, Summary> all;
  for (const WarmupRow& row : rows) all.insert(row.windows.begin(), row.windows.end());
  std::vector<Column<WarmupRow>> columns{{"size", "Size", &WarmupRow::size}};
  if (distinct(each(rows, &WarmupRow::name)).size() > 1)
    columns.push_back({"mode", "Mode", &WarmupRow::name});
  const auto first = [](const WarmupRow& row) {
    return row.first_steps.empty() ? Value::missing(row.reason) : Value(row.first());
  };
  columns.push_back({"first", "First step (median)", first, "ms"});
  for (const auto& [warmup, any] : all) {
    const auto mean = [warmup = warmup](const WarmupRow& row) {
      const auto found = row.windows.find(warmup);
      if (found == row.windows.end()) return Value();
      const Summary& steps = found->second;
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

/// A process's first step, in ms; where it was profiled, by what the CPU did, and beside it all
/// kernels.
struct FirstStep {
  const WarmupRow* row;
  std::optional<double> whole = {}, modules = {}, library = {}, allocation = {}, busy = {};

  FirstStep(const RunView& view, const WarmupRow& of) : row(&of) {
    const Launch* launch =
        of.mode == Mode::kForwardBackward ? profiled_first_step(view, of.group->spec) : nullptr;
    if (launch == nullptr) return;
    whole = single_milliseconds(*launch, metric::kProfile, metric::kStep);
    modules = single_milliseconds(*launch, metric::kFirst, metric::kCodeLoading);
    library = single_milliseconds(*launch, metric::kFirst, metric::kMatrixLibrary);
    allocation = single_milliseconds(*launch, metric::kRuntime, metric::kAllocation);
    busy = single_milliseconds(*launch, metric::kProfile, metric::kBusy);
  }
  bool explained() const { return whole && modules && library && allocation && busy; }
  double extra() const { return row->extra(); }
  /// Of one that is explained.
  double causes() const { return *modules + *library + *allocation; }
  bool by_causes() const { return 2 * causes() >= extra(); }
  /// Kernels run beside what the CPU does: those count that no other cause hides.
  std::vector<std::pair<const char*, double>> parts() const {
    if (!explained()) return {{"first step", row->first()}};
    const double others = std::max(*whole - causes(), 0.0);
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
    {"size", "Size", [](const FirstStep& step) { return step.row->size(); }},
    {"first", "First step (median)", [](const FirstStep& step) { return step.row->first(); }, "ms"},
    {"whole", "First step (profiled)", &FirstStep::whole, "ms"},
    {"modules", "CUDA module loading", &FirstStep::modules, "ms"},
    {"library", "cuBLAS initialization", &FirstStep::library, "ms"},
    {"allocation", "Allocation", &FirstStep::allocation, "ms"},
    {"busy", "Kernels busy", &FirstStep::busy, "ms"},
    {"steady", "Steady state", [](const FirstStep& step) { return step.row->steady(); }, "ms"}};

/// A segment of a bar: the first step by cause, or a steady step.
struct Segment {
  std::string size, bar, cause;
  double ms;
};

const std::vector<Column<Segment>> kSegments{{"size", "Size", &Segment::size},
                                             {"bar", "Step", &Segment::bar},
                                             {"cause", "Cause", &Segment::cause},
                                             {"ms", "Time", &Segment::ms, "ms"}};

std::vector<Segment> segments(const FirstSteps& steps) {
  std::vector<Segment> all;
  for (const FirstStep& step : steps) {
    for (const auto& [cause, ms] : step.parts()) {
      if (ms > 0) all.push_back({step.row->size(), "first step", cause, ms});
    }
    all.push_back({step.row->size(), "steady state", "steady state", step.row->steady()});
  }
  return all;
}

/// "47 %" and "higher", "8.1×" and "as high".
struct Rise {
  std::string number, words;
};

Rise rise_words(const WarmupRow& row, std::size_t warmup) {
  const double ratio = 1 + row.rise(warmup);
  if (told_as_factor(ratio) || ratio > 1.99) return {format_factor(ratio) + "×", "as high"};
  return {format_rough_percent(std::abs(ratio - 1)) + " %", ratio < 1 ? "lower" : "higher"};
}

void set_rise(Facts& facts, const std::string& name, const Rise& rise) {
  facts.set(name, rise.number).set(name + "_words", rise.words);
}

/// How far small residues go, rounded up, since "within 0.0 %" would not be true: "0.1 %".
std::string bound_words(const WarmupRows& rows, std::size_t warmup) {
  const auto share = [=](const WarmupRow& row) { return std::abs(row.rise(warmup)); };
  return format_rough_percent(std::ceil(std::ranges::max(each(rows, share)) * 1e3) / 1e3) + " %";
}

/// The causes make at least half of what each first step takes longer, and later steps vary less.
bool first_explains(const WarmupRow& most, const FirstSteps& profiled) {
  const auto after_one = most.windows.find(1);
  const Summary& later = after_one == most.windows.end() ? most.warm() : after_one->second;
  return 2 * later.stddev < most.cold().stddev && !profiled.empty() &&
         std::ranges::all_of(profiled, &FirstStep::by_causes);
}

/// What the first step of these networks spends its time on; or how long that of `most` takes.
void set_first_step(Facts& facts, const FirstSteps& steps, const WarmupRow& most) {
  const FirstSteps profiled = only(steps, &FirstStep::explained);
  const auto extra = each(profiled, &FirstStep::extra);
  const auto words = [&](std::optional<double> FirstStep::* cause) {
    return range_words(each(profiled, [=](const FirstStep& step) { return *(step.*cause); }));
  };
  const bool fixed =
      extra.size() > 1 && std::ranges::max(extra) < kFixedCost * std::ranges::min(extra);
  const bool slow = most.rise(0) > kNoticeable, explained = first_explains(most, profiled);
  facts.when("first_explained", slow && explained,
             Facts()
                 .set("extra", range_words(extra))
                 .flag("fixed", fixed)
                 .set("modules", words(&FirstStep::modules))
                 .set("library", words(&FirstStep::library)));
  facts.flag("first_unexplained", slow && !explained);
}

/// Whether one step is enough to leave out.
/// Where one warm-up step leaves a standard deviation that more of them lower most.
std::optional<Facts> deviation_after_one(const WarmupRows& rows) {
  constexpr double kSeveralTimes = 3, kOfMean = 0.005;
  const auto ratio = [](const WarmupRow& row) {
    const auto one = row.windows.find(1);
    const bool known = one != row.windows.end() && row.warm().stddev > 0 &&
                       one->second.stddev > kOfMean * one->second.mean;
    return known ? one->second.stddev / row.warm().stddev : 0;
  };
  const WarmupRow& most = *std::ranges::max_element(rows, {}, ratio);
  if (ratio(most) < kSeveralTimes) return std::nullopt;
  constexpr Notation kTwo{Notation::kSignificant, 2};
  return Facts()
      .set("where", most.size())
      .set("sd_one", most.windows.at(1).stddev, kTwo)
      .set("sd_warm", most.warm().stddev, kTwo);
}

void set_enough(Facts& facts, const WarmupRows& rows) {
  const WarmupRow& farthest = *largest(rows, &WarmupRow::residue);
  const char* holds = farthest.residue() <= kNoticeable ? "one_enough" : "one_short";
  Facts values;
  values.set("one", bound_words(rows, 1)).set("size", farthest.size());
  values.when("deviates", deviation_after_one(rows));
  set_rise(values, "rise", rise_words(farthest, 1));
  facts.choose({"one_enough", "one_short"}, rows.front().warmup() > 1 ? holds : "", values);
}

/// A counted step allocated from the device, after all its warm-up steps.
bool allocates_later(const TimingGroup& group) {
  const auto step = fullest(group);
  return step && std::ranges::count(disturbances(*step), "allocated in step") > 0;
}

/// How often a process's first step had to ask the device for memory.
std::optional<double> first_allocations(const TimingGroup& group, Mode mode) {
  const auto step = timed(group, mode);
  const Metric* calls =
      step ? step->launch->find(metric::kStep, metric::kDeviceAllocations) : nullptr;
  if (calls == nullptr || calls->numbers().empty()) return std::nullopt;
  return calls->numbers().front();
}

/// What the optimizer's state costs a first training step beyond forward and backward: calls for
/// memory, counted in both. Nothing where no size has both.
std::optional<Facts> first_state(const std::vector<TimingGroup>& groups) {
  std::vector<std::string> sizes, counts;
  std::size_t counted = 0;
  for (const TimingGroup& group : groups) {
    const auto trains = first_allocations(group, Mode::kTrainStep);
    const auto passes = first_allocations(group, Mode::kForwardBackward);
    if (!trains || !passes) continue;
    ++counted;
    if (*trains <= *passes) continue;
    sizes.push_back(group.label);
    counts.push_back(format_fixed(*trains, 0) + " vs. " + format_fixed(*passes, 0));
  }
  if (counted == 0) return std::nullopt;
  return Facts()
      .when("more", !sizes.empty(),
            Facts()
                .flag("only", sizes.size() < counted)
                .set("sizes", join_words(sizes))
                .set("counts", join_words(counts)))
      .flag("none", sizes.empty());
}

/// The training step whose first time is the most beyond a steady one, beside an answer of a
/// shorter mode.
std::optional<Facts> first_training_step(const WarmupRows& comparable, Mode answered) {
  const auto trains = [](const WarmupRow& row) { return row.mode == Mode::kTrainStep; };
  const WarmupRows rows = only(comparable, trains);
  const WarmupRow* row = largest(rows, &WarmupRow::extra);
  if (answered == Mode::kTrainStep || row == nullptr || row->extra() <= 0) return std::nullopt;
  return Facts()
      .set("size", row->size())
      .set("first", row->first(), {})
      .set("steady", certain_digits(row->steady(), row->warm().stddev));
}

/// What one mode's rows say, at least one.
Facts answer(const WarmupRows& rows, const FirstSteps& firsts,
             const std::vector<TimingGroup>& groups) {
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &WarmupRow::rise_cold);
  const auto later = each(only(groups, allocates_later), &TimingGroup::label);
  const WarmupRow& any = rows.front();
  Facts facts;
  facts.set("step",
            std::string(describe(any.mode)) + (any.mode == Mode::kTrainStep ? "" : " step"));
  facts.set("steps", std::to_string(any.cold().count));
  facts.set("warmup_steps", format_plural(static_cast<std::int64_t>(any.warmup()), "warm-up step"));
  const Rise highest = rise_words(*most, 0), lowest = rise_words(*least, 0);
  facts.set("most", most->size()).set("least", least->size());
  set_rise(facts, "most_rise", highest);
  set_rise(facts, "least_rise", lowest);
  facts.set("most_cold", most->cold().mean, {}).set("most_warm", most->warm().mean, {});
  facts.when("deviations", any.cold().count > 1,
             Facts()
                 .set("cold", most->cold().stddev, {Notation::kSignificant, 3})
                 .set("warm", most->warm().stddev, {Notation::kSignificant, 2}));
  facts.set("most_first", most->first(), {});
  facts.set("most_steady", certain_digits(most->steady(), most->warm().stddev));
  facts.set("bound", bound_words(rows, 0));
  facts.flag("rises", most->rise(0) > kNoticeable);
  facts.flag("several", highest.number != lowest.number || highest.words != lowest.words);
  set_first_step(facts, firsts, *most);
  set_enough(facts, rows);
  return facts.when("later_allocations", !later.empty(), "sizes", join_words(later));
}

/// The mode that the answer speaks of: the longest of part (c) that every edition shows.
Mode answered_mode(const WarmupRows& comparable) {
  const auto modes = each(comparable, &WarmupRow::mode);
  const bool backward = std::ranges::count(modes, Mode::kForwardBackward) > 0;
  return backward || modes.empty() ? Mode::kForwardBackward : modes.front();
}

}  // namespace

PartContent present_warmup(const RunView& view, const std::vector<TimingGroup>& groups) {
  const WarmupRows all = warmup_rows(view, groups);
  const WarmupRows comparable = only(all, &WarmupRow::comparable);
  const Mode mode = answered_mode(comparable);
  const auto of_mode = [mode](const WarmupRow& row) { return row.mode == mode; };
  const WarmupRows rows = only(comparable, of_mode);
  const auto firsts = each(rows, [&](const WarmupRow& row) { return FirstStep(view, row); });
  PartContent part;
  part.facts.flag("gpu", view.on_gpu());
  part.facts.flag("nothing", rows.empty());
  part.facts.flag("profiled", std::ranges::any_of(firsts, &FirstStep::explained));
  part.facts.when("answered", !rows.empty(), rows.empty() ? Facts() : answer(rows, firsts, groups));
  part.facts.when("training", first_training_step(comparable, mode));
  part.facts.when("state", is_warmup_mode(view.edition(), Mode::kTrainStep) ? first_state(groups)
                                                                            : std::nullopt);
  part.facts.set("mode", describe(mode));
  part.datasets = {windows("windows", only(all, of_mode)), windows("every-window", all),
                   make_dataset("first-step", kFirstStep, firsts),
                   make_dataset("first-step-causes", kSegments, segments(firsts))};
  return part;
}

}  // namespace labreport::benchmarking_script
