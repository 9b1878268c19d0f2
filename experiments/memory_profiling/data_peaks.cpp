// Part (b): the peaks of each context, their phases, and the formulas that predict them.
#include <ranges>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/memory_profiling/bytes.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "experiments/memory_profiling/what_fits.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

using Bytes = std::optional<double>;

constexpr double kExplained = 0.01;  // A formula may be off by this share of the peak.

double most_of(const Profiles& rows) {
  double most = 0;
  for (const Profile* profile : rows) {
    for (const Mode mode : kModes) most = std::max(most, profile->peak(mode).value_or(0));
  }
  return most;
}

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

/// The forward's peak: without grad, with grad, beside an older graph, and inside training.
Dataset forward_peaks(const Profiles& profiles) {
  const ByteUnit unit = byte_unit(most_of(profiles));
  const auto column = [unit](const char* name, const char* title, Mode mode, std::string_view tag,
                             std::string_view metric) {
    const auto value = [=](const Profile* profile) {
      const Step* step = profile->ran(mode);
      const Metric* peak = step == nullptr ? nullptr : step->launch->find(tag, metric);
      return peak == nullptr ? Value() : in_unit(peak->number(), unit, peak->reason);
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

/// One step's peak: counted by the allocator, split by category, and calculated.
struct StepRow {
  const Profile* profile;
  const Step* step;
  std::vector<std::string> flags = {};

  std::int64_t context() const { return profile->context(); }
  std::string phase() const { return step->peak_phase(); }
  Bytes requested() const { return step->bytes(metric::kMemory, metric::kPeakRequested); }
  double allocated() const { return *step->bytes(metric::kMemory, metric::kPeakAllocated); }
  /// Bytes; nothing for a network other than labreport's.
  std::optional<double> formula() const {
    const std::int64_t total = expected_peak(step->spec()).total();
    return total > 0 ? std::optional(static_cast<double>(total)) : std::nullopt;
  }
  /// Subtracts workspaces and inputs, which the formula leaves out. True if a number is unknown.
  bool explained() const {
    const Bytes workspace = step->category(metric::kWorkspace),
                data = step->category(metric::kData);
    if (!formula() || !requested() || !workspace || !data) return true;
    return std::abs(*requested() - *formula() - *workspace - *data) <= kExplained * *requested();
  }
};

std::vector<StepRow> steps_of(const Profiles& profiles) {
  std::vector<StepRow> rows;
  for (const Profile* profile : profiles) {
    for (const Step& step : profile->steps | std::views::values) {
      if (!step.missing().empty()) continue;
      StepRow& row = rows.emplace_back(StepRow{profile, &step, crowding(*step.launch)});
      const Bytes history = step.bytes(metric::kHistory, metric::kPeakRequested);
      if (history && row.requested() && *history != *row.requested())
        row.flags.emplace_back("the history changed the peak");
      if (!row.explained()) row.flags.emplace_back("not explained by the formula");
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
  for (const CategoryWords& category : memory_categories())
    columns.push_back(column(category.words, metric::kCategory, category.name));
  return make_dataset("steps", columns, steps_of(profiles));
}

/// "from 512 on" if several contexts were refused, all longer than `longest`; else "at 2,048".
std::string refused_words(const Profiles& refused, std::int64_t longest) {
  const auto context = [](const Profile* profile) { return format_count(profile->context()); };
  if (refused.size() > 1 && refused.front()->context() > longest)
    return "from " + context(refused.front()) + " on";
  return "at " + join_words(each(refused, context));
}

/// Describes the longest context whose training step ran or, if none did, whose inference ran.
std::optional<Facts> peak_values(const Profiles& profiles) {
  const Profiles refused = only(profiles, [](const Profile* profile) {
    const Step* step = profile->planned(Mode::kTrainStep);
    return step != nullptr && step->out_of_memory() != nullptr;
  });
  for (const Mode mode : {Mode::kTrainStep, Mode::kInference}) {
    const Profiles ran =
        only(profiles, [mode](const Profile* profile) { return profile->ran(mode) != nullptr; });
    if (ran.empty()) continue;
    const Profile& last = *ran.back();
    const auto peak = [&](Mode of) { return format_bytes_briefly(last.peak(of).value_or(0)); };
    return Facts()
        .set("context", format_count(last.context()))
        .when("step", mode == Mode::kTrainStep, "peak", peak(Mode::kTrainStep))
        .when("inference", last.ran(Mode::kInference) != nullptr, "peak", peak(Mode::kInference))
        .when("refused", !refused.empty(), "where", refused_words(refused, last.context()));
  }
  return std::nullopt;
}

/// Bytes of activations at a peak in backward and of gradients after it, if the former are more.
std::optional<Facts> outweighing(const StepRow& row) {
  const Bytes activations = row.step->category(metric::kActivations);
  const Timeline timeline = timeline_of(*row.step->launch);
  const Instant* end = timeline.end_of(metric::kBackward);
  if (row.phase() != metric::kBackward || !activations || end == nullptr) return std::nullopt;
  const double gradients = end->of(metric::kGradients);
  if (gradients <= 0 || *activations <= gradients) return std::nullopt;
  return Facts()
      .set("activations", format_bytes_briefly(*activations))
      .set("gradients", format_bytes_briefly(gradients));
}

/// Returns the phase in which all steps peak, or the two contexts between which the peak moves from
/// the optimizer to another phase. Returns nothing if phases change otherwise.
std::optional<Facts> phase_values(const std::vector<StepRow>& steps) {
  const auto in_optimizer = [](const StepRow& row) { return row.phase() == metric::kOptimizer; };
  const auto first = std::ranges::find_if_not(steps, in_optimizer);
  const std::vector<StepRow> updating(steps.begin(), first), passing(first, steps.end());
  const auto phases = distinct(each(passing, &StepRow::phase));
  if (steps.empty() || phases.size() > 1 || (!phases.empty() && phases.front().empty()))
    return std::nullopt;
  const auto context = [](const StepRow& row) { return format_count(row.context()); };
  const bool both = !updating.empty() && !passing.empty();
  return Facts()
      .set("phase", phase_words(passing.empty() ? std::string(metric::kOptimizer) : phases.front()))
      .when("both", both,
            both ? Facts()
                       .set("short", context(updating.back()))
                       .flag("up_to", updating.size() > 1)
                       .set("long", context(passing.front()))
                       .flag("on", passing.size() > 1)
                 : Facts())
      .when("outweigh", passing.empty() ? std::nullopt : outweighing(passing.front()));
}

/// Finds a step that allocates more than the next longer context's only because blocks are rounded.
std::optional<Facts> reversed_by_rounding(const std::vector<StepRow>& steps) {
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
  const Profiles described = described_profiles(profiles);
  const Profiles rows = of_precision(profiles, described.front()->spec.precision);
  const auto peaks = peak_values(described);
  const std::string reasons = reasons_missing(*rows.front());
  part.facts.flag("nothing", !peaks).when("reasons", !reasons.empty(), "words", reasons);
  part.facts.when("peaks", peaks);
  part.facts.when("phases", phase_values(training_steps(planned_in_full(described))));
  part.facts.when("turned", reversed_by_rounding(training_steps(described)));
  part.datasets = {peak_contexts(planned_in_full(rows)), forward_peaks(rows),
                   peak_steps(all_of(profiles))};
  add_what_fits(part, view, profiles);
  std::vector<const Cell*> cells;
  for (const Profile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) cells.push_back(step.cell);
  }
  part.details.tables = {command_table(view.run(), kProblem, cells)};
  part.details.warnings = warnings(profiles);
  return part;
}

}  // namespace labreport::memory_profiling
