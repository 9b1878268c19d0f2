// Part (b): the peaks of each context, in which phase they lie, and what by arithmetic they consist
// of.
#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

using Bytes = std::optional<double>;

constexpr double kExplained = 0.01;  // Of the peak: what may stay open.
constexpr double kNamed = 0.002;     // Of the peak: a category that is worth a word.
constexpr double kFlat = 0.01;       // Of the peak: contexts whose peaks hardly differ.
constexpr double kNearly = 0.95;     // Of the peak: it consists of little else.

double most_of(const Profiles& rows) {
  double most = 0;
  for (const Profile* profile : rows) {
    for (const Mode mode : kModes) most = std::max(most, profile->peak(mode).value_or(0));
  }
  return most;
}

/// One context's peaks.
struct PeakRow {
  const Profile* profile;
  std::vector<std::string> flags;

  Value peak(Mode mode, const ByteUnit& unit) const {
    const Bytes bytes = profile->peak(mode);
    return bytes ? in_unit(bytes, unit) : Value::missing(reasons_missing(*profile));
  }
};

Dataset peak_contexts(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  std::vector<Column<PeakRow>> columns{
      {"context", "Context", [](const PeakRow& row) { return row.profile->place; }}};
  for (const auto& [mode, name, title] :
       {std::tuple(Mode::kInference, "inference", "Inference forward"),
        std::tuple(Mode::kTrainStep, "step", "Training step"),
        std::tuple(Mode::kForward, "forward", "Forward, with grad")}) {
    const auto peak = [mode, unit](const PeakRow& row) { return row.peak(mode, unit); };
    columns.push_back({name, title, peak, unit.name, {Notation::kFixed, unit.decimals}});
  }
  std::vector<PeakRow> rows;
  for (const Profile* profile : profiles) {
    PeakRow& row = rows.emplace_back(PeakRow{profile, {}});
    for (const Step& step : profile->steps | std::views::values) {
      if (!step.ok()) continue;
      for (const std::string& word : crowding(*step.launch)) {
        if (std::ranges::find(row.flags, word) == row.flags.end()) row.flags.push_back(word);
      }
    }
    if (profile->steps.size() == 1)
      row.flags.push_back("only the " + mode_words(profile->steps.begin()->first) +
                          " was asked for");
  }
  return make_dataset("contexts", columns, rows);
}

/// A forward's peak in its four meanings.
Dataset forward_peaks(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  const auto column = [unit](const char* name, const char* title, Mode mode, std::string_view tag,
                             std::string_view metric) {
    const auto value = [=](const Profile* profile) {
      const Step* step = profile->ran(mode);
      const Metric* found = step == nullptr ? nullptr : step->launch->find(tag, metric);
      if (found == nullptr || found->number())
        return in_unit(found == nullptr ? Bytes() : found->number(), unit);
      return Value::missing(found->reason);
    };
    return Column<const Profile*>{name, title, value, unit.name, {Notation::kFixed, unit.decimals}};
  };
  const std::vector<Column<const Profile*>> columns{
      {"context", "Context", [](const Profile* profile) { return profile->place; }},
      column("no_grad", "Without grad", Mode::kInference, metric::kMemory, metric::kPeakAllocated),
      column("grad", "With grad", Mode::kForward, metric::kMemory, metric::kPeakAllocated),
      column("graph_alive", "With the previous step's graph alive", Mode::kForward,
             metric::kMeaning, metric::kForwardGraphAlive),
      column("in_training", "Inside training, with AdamW's state", Mode::kTrainStep,
             metric::kMeaning, metric::kForwardWithState)};
  Profiles rows = profiles;
  std::erase_if(rows, [](const Profile* profile) { return !anything_ran({profile}); });
  return make_dataset("forward-peaks", columns, rows);
}

/// One step's peak: as the allocator counts it, by what it is held for, and by first principles.
struct StepRow {
  const Profile* profile;
  const Step* step;
  ExpectedPeak expected;
  std::vector<std::string> flags = {};

  double requested() const { return bytes(metric::kMemory, metric::kPeakRequested).value_or(0); }
  Bytes bytes(std::string_view tag, std::string_view name) const { return step->bytes(tag, name); }
  double category(std::string_view name) const {
    return bytes(metric::kCategory, name).value_or(0);
  }
  double allocated() const { return bytes(metric::kMemory, metric::kPeakAllocated).value_or(0); }
  double rounding() const { return allocated() - requested(); }
  double held() const {
    return category(metric::kParameters) + category(metric::kGradients) +
           category(metric::kOptimizerStates);
  }
  double formula() const { return static_cast<double>(expected.total()); }
  /// What formulas leave out on purpose.
  double left_out() const {
    return category(metric::kTemporary) + category(metric::kWorkspace) + category(metric::kData);
  }
};

/// "0.61 GiB of gradients more", where a category's formula and its measurement part.
std::string apart(const StepRow& row) {
  const ExpectedPeak& expected = row.expected;
  std::vector<std::string> words;
  for (const auto& [name, formula] : {std::pair(metric::kParameters, expected.parameters),
                                      std::pair(metric::kGradients, expected.gradients),
                                      std::pair(metric::kOptimizerStates, expected.moments),
                                      std::pair(metric::kActivations, expected.activations),
                                      std::pair(metric::kWeightCopies, expected.weight_copies)}) {
    const double difference = row.category(name) - static_cast<double>(formula);
    if (std::abs(difference) < kNamed * row.requested()) continue;
    words.push_back(format_bytes(std::abs(difference)) + " of " +
                    category_words(std::string(name)) + (difference > 0 ? " more" : " less"));
  }
  return join_words(words);
}

/// Where the difference from the formula lies, or that nothing says so.
std::string remark(const StepRow& row) {
  const double peak = row.requested();
  if (!row.bytes(metric::kCategory, metric::kParameters)) return "categories not measured";
  if (row.category(metric::kUnknown) > kExplained * peak) return "unknown bytes";
  const std::string words = apart(row);
  if (!words.empty()) return "at the peak " + words;
  const bool open = std::abs(peak - row.formula() - row.left_out()) > kExplained * peak;
  return open ? "not explained" : "";
}

std::vector<StepRow> steps_of(const Profiles& profiles) {
  std::vector<StepRow> rows;
  for (const Profile* profile : profiles) {
    for (const Step& step : profile->steps | std::views::values) {
      if (!step.missing().empty()) continue;
      StepRow& row = rows.emplace_back(StepRow{profile, &step, expected_peak(step.spec())});
      row.flags = crowding(*step.launch);
      const Bytes history = step.bytes(metric::kHistory, metric::kPeakRequested);
      if (history && *history != row.requested())
        row.flags.emplace_back("the history changed the peak");
      if (step.bytes(metric::kHistory, metric::kLost).value_or(0) > 0)
        row.flags.emplace_back("events lost");
    }
  }
  return rows;
}

Dataset peak_steps(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  const auto metric_column = [&](const char* name, const char* title, std::string_view tag,
                                 std::string_view metric) {
    return bytes_column<StepRow>(
        name, title, [=](const StepRow& row) { return row.bytes(tag, metric); }, unit);
  };
  const auto formula_column = [&](const char* name, const char* title,
                                  std::int64_t ExpectedPeak::* part) {
    return bytes_column<StepRow>(
        name, title, [=](const StepRow& row) { return static_cast<double>(row.expected.*part); },
        unit);
  };
  std::vector<Column<StepRow>> columns{
      {"context", "Context", [](const StepRow& row) { return row.profile->place; }},
      {"step", "Step", [](const StepRow& row) { return mode_words(row.step->mode()); }},
      metric_column("requested", "Requested", metric::kMemory, metric::kPeakRequested),
      metric_column("allocated", "Allocated", metric::kMemory, metric::kPeakAllocated),
      metric_column("reserved", "Reserved", metric::kMemory, metric::kPeakReserved),
      {"phase", "Peak lies in", [](const StepRow& row) { return row.step->peak_phase(); }},
      metric_column("resident", "Before the step", metric::kResident, metric::kAllocated),
      bytes_column<StepRow>("formula", "By formula", &StepRow::formula, unit),
      bytes_column<StepRow>(
          "difference", "Difference",
          [](const StepRow& row) { return row.requested() - row.formula(); }, unit),
      bytes_column<StepRow>("left_out", "Temporary, workspace and inputs", &StepRow::left_out,
                            unit),
      {"remark", "Remark", remark},
      formula_column("formula_parameters", "Parameters", &ExpectedPeak::parameters),
      formula_column("formula_gradients", "Gradients", &ExpectedPeak::gradients),
      formula_column("formula_state", "AdamW state", &ExpectedPeak::moments),
      formula_column("formula_activations", "Activations", &ExpectedPeak::activations),
      formula_column("formula_copies", "Weight copies", &ExpectedPeak::weight_copies)};
  for (const Category& category : categories()) {
    const std::string words(category.words);
    columns.push_back(
        metric_column(words.c_str(), words.c_str(), metric::kCategory, category.name));
  }
  return make_dataset("steps", columns, steps_of(profiles));
}

/// The range of a mode's peaks over the contexts, or the one that there is.
void set_range(Facts& facts, const std::string& name, const Profiles& spoken_of, Mode mode) {
  Profiles ran;
  std::ranges::copy_if(spoken_of, std::back_inserter(ran),
                       [mode](const Profile* profile) { return profile->ran(mode); });
  std::optional<Facts> values;
  if (!ran.empty()) {
    values.emplace();
    for (const auto& [end, profile] :
         {std::pair("first", ran.front()), std::pair("last", ran.back())}) {
      values->set(end, format_bytes(*profile->peak(mode)));
      values->set(std::string(end) + "_context", format_count(profile->context()));
    }
  }
  facts.when(name + "_range", ran.size() > 1 ? values : std::nullopt);
  facts.when(name + "_alone", ran.size() == 1 ? values : std::nullopt);
}

std::vector<Facts> peak_facts(const Profiles& spoken_of) {
  std::vector<Facts> list;
  for (const Profile* profile : spoken_of) {
    for (const auto& [mode, step] : profile->steps) {
      if (!profile->peak(mode)) continue;
      list.emplace_back().set("words", mode_words(mode) + ", " + profile->words);
      list.back().set("peak", format_bytes(*profile->peak(mode)));
    }
  }
  return list;
}

/// In the optimizer, and nearly all of it parameters with their gradients and moments.
bool in_optimizer(const StepRow& row) {
  return row.step->peak_phase() == metric::kOptimizer && row.held() > kNearly * row.requested();
}

/// In a pass, and most of what the step added before it are saved activations.
bool by_activations(const StepRow& row) {
  const double before = row.bytes(metric::kResident, metric::kRequested).value_or(0);
  const std::string phase = row.step->peak_phase();
  return !phase.empty() && phase != metric::kOptimizer &&
         row.category(metric::kActivations) > (row.requested() - before) / 2;
}

Facts phase_values(const StepRow& row) {
  Facts values;
  values.set("context", format_count(row.profile->context()));
  values.set("state", format_bytes(row.held()));
  values.set("activations", format_bytes(row.category(metric::kActivations)));
  values.set("phase", pass_words(row.step->peak_phase()));
  return values;
}

/// Up to some context the peaks lie in the optimizer, from the next on in a pass.
void set_phases(Facts& facts, const std::vector<StepRow>& steps) {
  const auto passes = std::ranges::find_if_not(steps, in_optimizer);
  const bool told = !steps.empty() && std::all_of(passes, steps.end(), by_activations);
  const bool optimizer = told && passes != steps.begin();
  const bool pass = told && passes != steps.end();
  const auto last = optimizer ? std::optional(phase_values(*(passes - 1))) : std::nullopt;
  facts.when("only_optimizer", pass ? std::nullopt : last);
  facts.when("optimizer_first", pass ? last : std::nullopt);
  facts.when("then_in_pass",
             optimizer && pass ? std::optional(phase_values(*passes)) : std::nullopt);
  facts.when("in_pass",
             pass && !optimizer ? std::optional(phase_values(steps.back())) : std::nullopt);
  facts.flag("phase_unclear", !steps.empty() && !told);
  std::vector<double> peaks;
  for (auto row = steps.begin(); optimizer && row != passes; ++row)
    peaks.push_back(row->allocated());
  const auto [least, most] = std::ranges::minmax_element(peaks);
  const bool flat = peaks.size() > 1 && *most < (1 + kFlat) * *least;
  facts.when("flat", flat, "share", flat ? format_rough_percent(*most / *least - 1) : "");
}

/// A step that needs more than that of the next longer context: whether the allocator explains it.
void set_turned(Facts& facts, const std::vector<StepRow>& steps) {
  const auto row = std::ranges::adjacent_find(steps, std::greater(), &StepRow::allocated);
  std::optional<Facts> values;
  bool by_rounding = false;
  if (row != steps.end()) {
    by_rounding = row->requested() <= (row + 1)->requested();
    values.emplace();
    for (const auto& [name, one] : {std::pair("short", *row), std::pair("long", *(row + 1))}) {
      values->set(name, format_count(one.profile->context()));
      values->set(std::string(name) + "_rounding", format_bytes(one.rounding()));
    }
  }
  facts.when("turned_by_rounding", by_rounding ? values : std::nullopt);
  facts.when("turned", by_rounding ? std::nullopt : values);
}

bool some_step_has_no_room(const std::vector<Profile>& profiles) {
  return std::ranges::any_of(profiles, [](const Profile& profile) {
    const Step* step = profile.asked(Mode::kTrainStep);
    return step != nullptr && step->launch != nullptr && does_not_fit(step->launch->outcome);
  });
}

void set_largest(Facts& facts, const std::vector<Profile>& profiles) {
  const Profile* fits = longest(answered(profiles), Mode::kTrainStep);
  const bool limited = some_step_has_no_room(profiles);
  facts.when("largest", limited && fits != nullptr, "words", fits == nullptr ? "" : fits->words);
  facts.flag("none_fits", limited && fits == nullptr);
}

}  // namespace

PartContent present_peaks(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  const Profiles rows = of_precision(profiles, spoken_of.front()->spec.precision);
  std::vector<StepRow> training = steps_of(spoken_of);
  std::erase_if(training, [](const StepRow& row) { return row.step->mode() != Mode::kTrainStep; });
  set_range(part.facts, "inference", spoken_of, Mode::kInference);
  set_range(part.facts, "step", spoken_of, Mode::kTrainStep);
  set_phases(part.facts, training);
  set_turned(part.facts, training);
  set_largest(part.facts, profiles);
  part.facts.list("peaks", peak_facts(spoken_of));
  part.facts.flag("nothing", longest(spoken_of, Mode::kInference) == nullptr &&
                                 longest(spoken_of, Mode::kTrainStep) == nullptr);
  part.facts.list("missing", missing_facts(rows, Mode::kTrainStep));
  part.datasets = {peak_contexts(rows), forward_peaks(rows), peak_steps(rows)};
  add_peaks_figure(part, view, profiles);
  part.details.tables = {commands_table(view.run(), kProblem, named_cells(profiles))};
  part.details.warnings = warnings(profiles);
  return part;
}

std::vector<KeyNumber> key_numbers(const std::vector<Profile>& profiles) {
  const Profile* profile = longest(answered(profiles), Mode::kTrainStep);
  if (profile == nullptr) return {};
  const std::string anchor = std::string(kProblem) + "-b";
  const std::string words = profile->words + " in " + profile->precision();
  std::vector<KeyNumber> numbers{{"Peak memory of a training step, " + words,
                                  format_bytes(profile->peak(Mode::kTrainStep).value_or(0)),
                                  anchor}};
  // Where every step fits, the largest is none that the GPU's memory sets.
  if (some_step_has_no_room(profiles)) {
    numbers.push_back({"Largest training step that fits", words, anchor});
  }
  return numbers;
}

}  // namespace labreport::memory_profiling
