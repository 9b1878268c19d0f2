// Part (b): the peaks of each context, in which phase they lie, and what by arithmetic they consist
// of.
#include <ranges>

#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/parts.h"
#include "experiments/memory_profiling/timeline.h"
#include "experiments/memory_profiling/what_fits.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

using Bytes = std::optional<double>;

constexpr double kExplained = 0.01;  // Of the peak: what may stay open.
constexpr double kNearly = 0.95;     // Of the peak: it consists of little else.

double most_of(const Profiles& rows) {
  double most = 0;
  for (const Profile* profile : rows) {
    for (const Mode mode : kModes) most = std::max(most, profile->peak(mode).value_or(0));
  }
  return most;
}

/// One context a row.
Dataset peak_contexts(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  std::vector<Column<const Profile*>> columns{
      {"context", "Context", [](const Profile* profile) { return profile->place; }, "", kNamed}};
  for (const auto& [mode, name, title] :
       {std::tuple(Mode::kInference, "inference", "Inference forward"),
        std::tuple(Mode::kTrainStep, "step", "Training step"),
        std::tuple(Mode::kForward, "forward", "Forward with grad")}) {
    columns.push_back(bytes_column<const Profile*>(
        name, title, [mode](const Profile* profile) { return profile->peak(mode); }, unit,
        [](const Profile* profile) { return reasons_missing(*profile); }));
  }
  return make_dataset("contexts", columns, profiles);
}

/// A forward's peak in its four meanings.
Dataset forward_peaks(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  const auto column = [unit](const char* name, const char* title, Mode mode, std::string_view tag,
                             std::string_view metric) {
    const auto value = [=](const Profile* profile) {
      const Step* step = profile->ran(mode);
      const Metric* found = step == nullptr ? nullptr : step->launch->find(tag, metric);
      return found == nullptr ? Value() : in_unit(found->number(), unit, found->reason);
    };
    return Column<const Profile*>{name, title, value, unit.name, {Notation::kShort, unit.decimals}};
  };
  const std::vector<Column<const Profile*>> columns{
      {"context", "Context", [](const Profile* profile) { return profile->place; }, "", kNamed},
      column("no_grad", "Without grad", Mode::kInference, metric::kMemory, metric::kPeakAllocated),
      column("grad", "With grad", Mode::kForward, metric::kMemory, metric::kPeakAllocated),
      column("graph_alive", "With the previous step's graph alive", Mode::kForward,
             metric::kMeaning, metric::kForwardGraphAlive),
      column("in_training", "Inside training, with the optimizer's state", Mode::kTrainStep,
             metric::kMeaning, metric::kForwardWithState)};
  const auto ran = [](const Profile* profile) { return anything_ran({profile}); };
  return make_dataset("forward-peaks", columns, only(profiles, ran));
}

/// One step's peak: as the allocator counts it, by what it is held for, and by first principles.
struct StepRow {
  const Profile* profile;
  const Step* step;
  std::vector<std::string> flags = {};

  std::int64_t context() const { return profile->context(); }
  std::string phase() const { return step->peak_phase(); }
  Bytes requested() const { return step->bytes(metric::kMemory, metric::kPeakRequested); }
  double allocated() const { return *step->bytes(metric::kMemory, metric::kPeakAllocated); }
  Bytes parameters() const { return step->category(metric::kParameters); }
  Bytes activations() const { return step->category(metric::kActivations); }
  /// Of labreport's own network alone.
  std::optional<double> formula() const {
    const std::int64_t total = expected_peak(step->spec()).total();
    return total > 0 ? std::optional(static_cast<double>(total)) : std::nullopt;
  }
  /// The formula leaves out workspaces and inputs; without their sizes nothing refutes it.
  bool explained() const {
    const Bytes workspace = step->category(metric::kWorkspace),
                data = step->category(metric::kData);
    if (!formula() || !requested() || !workspace || !data) return true;
    return std::abs(*requested() - *formula() - *workspace - *data) <= kExplained * *requested();
  }
};

std::vector<std::string> flags_of(const StepRow& row) {
  std::vector<std::string> flags = crowding(*row.step->launch);
  const Bytes history = row.step->bytes(metric::kHistory, metric::kPeakRequested);
  if (history && row.requested() && *history != *row.requested())
    flags.emplace_back("the history changed the peak");
  if (!row.explained()) flags.emplace_back("not explained by the formula");
  return flags;
}

std::vector<StepRow> steps_of(const Profiles& profiles) {
  std::vector<StepRow> rows;
  for (const Profile* profile : profiles) {
    for (const Step& step : profile->steps | std::views::values) {
      if (!step.missing().empty()) continue;
      rows.push_back({profile, &step});
      rows.back().flags = flags_of(rows.back());
    }
  }
  return rows;
}

std::vector<StepRow> training_steps(const Profiles& profiles) {
  return only(steps_of(profiles),
              [](const StepRow& row) { return row.step->mode() == Mode::kTrainStep; });
}

Dataset peak_steps(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  const auto column = [&](std::string_view title, std::string_view tag, std::string_view metric) {
    return bytes_column<StepRow>(
        std::string(metric), std::string(title),
        [=](const StepRow& row) { return row.step->bytes(tag, metric); }, unit);
  };
  std::vector<Column<StepRow>> columns{
      {"context", "Context", [](const StepRow& row) { return row.profile->label; }, "", kNamed},
      {"step", "Step", [](const StepRow& row) { return mode_words(row.step->mode()); }},
      {"phase", "Peak in", &StepRow::phase},
      column("Allocated", metric::kMemory, metric::kPeakAllocated),
      column("Reserved", metric::kMemory, metric::kPeakReserved),
      column("Requested", metric::kMemory, metric::kPeakRequested),
      bytes_column<StepRow>("formula", "By formula", &StepRow::formula, unit)};
  for (const Category& category : categories())
    columns.push_back(column(category.words, metric::kCategory, category.name));
  return make_dataset("steps", columns, steps_of(profiles));
}

/// A mode's peaks at the first and the last context at which it ran.
std::optional<Facts> range_of(const Profiles& spoken_of, Mode mode) {
  const Profiles ran =
      only(spoken_of, [mode](const Profile* profile) { return profile->ran(mode) != nullptr; });
  if (ran.empty()) return std::nullopt;
  const Profile &first = *ran.front(), &last = *ran.back();
  return Facts()
      .set("words", mode_words(mode))
      .set("first", format_bytes(*first.peak(mode)))
      .set("first_context", format_count(first.context()))
      .set("last", format_bytes(*last.peak(mode)))
      .set("last_context", format_count(last.context()))
      .flag("several", ran.size() > 1);
}

std::string contexts_of(const Profiles& profiles) {
  return join_words(
      each(profiles, [](const Profile* profile) { return format_count(profile->context()); }));
}

bool refused_step(const Profile* profile) {
  const Step* step = profile->asked(Mode::kTrainStep);
  return step != nullptr && step->refused() != nullptr;
}

/// In the optimizer, and nearly all of it parameters with their gradients and moments.
bool in_optimizer(const StepRow& row) {
  const Bytes held = row.step->held(), requested = row.requested();
  return row.phase() == metric::kOptimizer && held && requested && *held > kNearly * *requested;
}

/// In a pass, and most of what the step added before it are saved activations.
bool by_activations(const StepRow& row) {
  const Bytes before = row.step->bytes(metric::kResident, metric::kRequested);
  const Bytes requested = row.requested(), activations = row.activations();
  return !row.phase().empty() && row.phase() != metric::kOptimizer && before && requested &&
         activations && *activations > (*requested - *before) / 2;
}

/// A peak before the backward pass has made its gradients, one for each parameter.
bool gradients_replace(const StepRow& row) {
  const Bytes parameters = row.parameters(), activations = row.activations();
  return row.phase() == metric::kBackward && parameters && activations && *parameters > 0 &&
         *activations > *parameters;
}

/// Of peaks in one phase, contexts rising.
std::optional<Facts> phase_values(const std::vector<StepRow>& steps, bool alone) {
  if (steps.empty()) return std::nullopt;
  // The two reasons that quote these sizes hold only where they were measured.
  const auto words = [](const Bytes& bytes) { return bytes ? format_bytes(*bytes) : ""; };
  const StepRow &first = steps.front(), &last = steps.back();
  return Facts()
      .set("first", format_count(first.context()))
      .set("last", format_count(last.context()))
      .flag("several", steps.size() > 1)
      .set("state", words(last.step->state()))
      .set("activations", from_to(words(first.activations()), words(last.activations())))
      .set("phase", pass_words(last.phase()))
      .when("outweigh", std::ranges::all_of(steps, gradients_replace), "gradients",
            words(last.parameters()))
      .flag("alone", alone);
}

/// Up to some context the peaks lie in the optimizer, from the next on in one pass.
void set_phases(Facts& facts, const std::vector<StepRow>& steps) {
  const auto passes = std::ranges::find_if_not(steps, in_optimizer);
  const std::vector<StepRow> updating(steps.begin(), passes), passing(passes, steps.end());
  const bool told = std::ranges::all_of(passing, by_activations) &&
                    distinct(each(passing, &StepRow::phase)).size() < 2;
  facts.when("in_optimizer", told ? phase_values(updating, passing.empty()) : std::nullopt);
  facts.when("in_pass", told ? phase_values(passing, updating.empty()) : std::nullopt);
}

/// A step that needs more than that of the next longer context, where the allocator explains it.
std::optional<Facts> turned(const std::vector<StepRow>& steps) {
  const auto row = std::ranges::adjacent_find(steps, std::greater(), &StepRow::allocated);
  if (row == steps.end()) return std::nullopt;
  const Bytes short_one = row->requested(), long_one = (row + 1)->requested();
  if (!short_one || !long_one || *short_one > *long_one) return std::nullopt;
  Facts values;
  for (const auto& [name, one] : {std::pair("short", row), std::pair("long", row + 1)}) {
    values.set(name, format_count(one->context()));
    values.set(std::string(name) + "_rounding", format_bytes(one->allocated() - *one->requested()));
  }
  return values;
}

}  // namespace

PartContent present_peaks(const RunView& view, const std::vector<Profile>& profiles) {
  PartContent part;
  set_common(part.facts, view, profiles);
  const Profiles spoken_of = answered(profiles);
  const Profiles rows = of_precision(profiles, spoken_of.front()->spec.precision);
  const std::vector<StepRow> training = training_steps(spoken_of);
  const auto inference = range_of(spoken_of, Mode::kInference);
  const auto step = range_of(spoken_of, Mode::kTrainStep);
  const Profiles refused = only(spoken_of, refused_step);
  part.facts.flag("nothing", !inference && !step).set("reasons", reasons_missing(*rows.front()));
  part.facts.when("step", step).when("inference", inference);
  part.facts.when("refused", !refused.empty(), "contexts", contexts_of(refused));
  set_phases(part.facts, training_steps(asked_in_full(spoken_of)));
  part.facts.when("turned", turned(training));
  part.datasets = {peak_contexts(asked_in_full(rows)), forward_peaks(rows),
                   peak_steps(all_of(profiles))};
  add_what_fits(part, view, profiles);
  part.details.tables = {commands_table(view.run(), kProblem, named_cells(profiles))};
  part.details.warnings = warnings(profiles);
  return part;
}

}  // namespace labreport::memory_profiling
