// Presents part (b): the peaks of each context, their phases, and the formulas that predict them.
#include <ranges>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/bytes.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/memory_profiling/presenters.h"
#include "experiments/memory_profiling/timeline.h"
#include "experiments/memory_profiling/what_fits.h"
#include "plan/arithmetic.h"
#include "plan/memory.h"
#include "results/metric_names.h"

namespace labreport::memory_profiling {
namespace {

using MaybeBytes = std::optional<double>;

constexpr double kPeakTolerance = 0.01;  // A formula may be off by this share of the peak.

double highest_peak(const ProfileList& profiles) {
  double highest = 0;
  for (const MemoryProfile* profile : profiles) {
    for (const Mode mode : kModes)
      highest = std::max(highest, profile->peak_bytes(mode).value_or(0));
  }
  return highest;
}

Dataset contexts_data(const ProfileList& profiles) {
  const ByteUnit unit = byte_unit(highest_peak(profiles));
  std::vector<Column<const MemoryProfile*>> columns{
      {"context", "Context", &MemoryProfile::setting, "", kRowNumber}};
  for (const auto& [mode, name, title] :
       {std::tuple(Mode::kInference, "inference", "Inference forward"),
        std::tuple(Mode::kTrainStep, "step", "Training step"),
        std::tuple(Mode::kForward, "forward", "Forward with grad")}) {
    columns.push_back(bytes_column<const MemoryProfile*>(
        name, title, [mode](const MemoryProfile* profile) { return profile->peak_bytes(mode); },
        unit, [](const MemoryProfile* profile) { return why_no_peaks(*profile); }));
  }
  return make_dataset("contexts", columns, profiles);
}

/// Lists peaks of the forward pass: without grad, with grad, beside an older graph, in training.
Dataset forward_peaks_data(const ProfileList& profiles) {
  const ByteUnit unit = byte_unit(highest_peak(profiles));
  const auto column = [unit](const char* name, const char* title, Mode mode, std::string_view tag,
                             std::string_view metric) {
    const auto value = [=](const MemoryProfile* profile) {
      const MemoryStep* step = profile->measured_step(mode);
      const Metric* peak = step == nullptr ? nullptr : step->launch->find(tag, metric);
      return peak == nullptr ? Value() : in_unit(peak->number(), unit, peak->reason);
    };
    return Column<const MemoryProfile*>{
        name, title, value, unit.name, {Notation::kShort, unit.decimals}};
  };
  const std::vector<Column<const MemoryProfile*>> columns{
      {"context", "Context", &MemoryProfile::setting, "", kRowNumber},
      column("no_grad", "Without grad", Mode::kInference, metric::kMemory, metric::kPeakAllocated),
      column("grad", "With grad", Mode::kForward, metric::kMemory, metric::kPeakAllocated),
      column("graph_alive", "With the previous step's graph alive", Mode::kForward,
             metric::kAlternativePeaks, metric::kForwardGraphAlive),
      column("in_training", "Inside training, with the optimizer's state", Mode::kTrainStep,
             metric::kAlternativePeaks, metric::kForwardWithState)};
  const auto has_peak = [](const MemoryProfile* profile) { return any_peak_measured({profile}); };
  return make_dataset("forward-peaks", columns, only(profiles, has_peak));
}

/// One step's peak as the allocator counted it and as the formula predicts it.
struct StepRow {
  const MemoryProfile* profile;
  const MemoryStep* step;
  std::vector<std::string> flags = {};

  std::int64_t context() const { return profile->context(); }
  std::string phase() const { return step->peak_phase(); }
  MaybeBytes requested_bytes() const {
    return step->bytes(metric::kMemory, metric::kPeakRequested);
  }
  double allocated_bytes() const { return *step->bytes(metric::kMemory, metric::kPeakAllocated); }
  /// Returns nothing for a network other than labreport's.
  std::optional<double> formula_bytes() const {
    const std::int64_t total = expected_peak(step->spec()).total();
    return total > 0 ? std::optional(static_cast<double>(total)) : std::nullopt;
  }
  /// True if the formula, plus the workspaces and inputs that it leaves out, is within
  /// `kPeakTolerance` of the measured peak; also true if a number is unknown.
  bool explained_by_formula() const {
    const MaybeBytes workspace = step->category_bytes(metric::kWorkspace),
                     data = step->category_bytes(metric::kData);
    if (!formula_bytes() || !requested_bytes() || !workspace || !data) return true;
    return std::abs(*requested_bytes() - *formula_bytes() - *workspace - *data) <=
           kPeakTolerance * *requested_bytes();
  }
};

std::vector<StepRow> step_rows(const ProfileList& profiles) {
  std::vector<StepRow> rows;
  for (const MemoryProfile* profile : profiles) {
    for (const MemoryStep& step : profile->steps | std::views::values) {
      if (!step.why_no_peak().empty()) continue;
      StepRow& row =
          rows.emplace_back(StepRow{profile, &step, disturbances_except_slowdown(*step.launch)});
      // The step ran a second time to record the allocator's history, which should not matter.
      const MaybeBytes peak_with_history = step.bytes(metric::kHistory, metric::kPeakRequested);
      if (peak_with_history && row.requested_bytes() &&
          *peak_with_history != *row.requested_bytes())
        row.flags.emplace_back("the history changed the peak");
      if (!row.explained_by_formula()) row.flags.emplace_back("not explained by the formula");
    }
  }
  return rows;
}

std::vector<StepRow> training_step_rows(const ProfileList& profiles) {
  return only(step_rows(profiles),
              [](const StepRow& row) { return row.step->mode() == Mode::kTrainStep; });
}

Dataset steps_data(const ProfileList& profiles) {
  const ByteUnit unit = byte_unit(highest_peak(profiles));
  const auto column = [&](std::string_view title, std::string_view tag, std::string_view metric) {
    return bytes_column<StepRow>(
        std::string(metric), std::string(title),
        [=](const StepRow& row) { return row.step->bytes(tag, metric); }, unit);
  };
  std::vector<Column<StepRow>> columns{
      {"context", "Context", [](const StepRow& row) { return row.profile->label; }, "", kRowNumber},
      {"step", "Step", [](const StepRow& row) { return mode_words(row.step->mode()); }},
      {"phase", "Peak in", &StepRow::phase},
      column("Allocated", metric::kMemory, metric::kPeakAllocated),
      column("Reserved", metric::kMemory, metric::kPeakReserved),
      column("Requested", metric::kMemory, metric::kPeakRequested),
      bytes_column<StepRow>("formula", "By formula", &StepRow::formula_bytes, unit)};
  for (const CategoryWords& category : memory_categories())
    columns.push_back(column(category.words, metric::kCategory, category.name));
  return make_dataset("steps", columns, step_rows(profiles));
}

/// Returns the profile at a mode's longest measured context; null if none was measured.
const MemoryProfile* longest_measured(const ProfileList& profiles, Mode mode) {
  const ProfileList measured = only(profiles, [mode](const MemoryProfile* profile) {
    return profile->measured_step(mode) != nullptr;
  });
  return measured.empty() ? nullptr : measured.back();
}

/// Returns the two categories that hold most of a step's peak: ", mostly optimizer state (28.5 MiB)
/// and activations (19.1 MiB)"; empty if they hold less than half, or if that was not measured.
std::string largest_parts(const MemoryStep& step) {
  using Holding = std::pair<double, std::string>;
  std::vector<Holding> holdings;
  for (const CategoryWords& category : memory_categories())
    holdings.emplace_back(step.category_bytes(category.name).value_or(0), category.words);
  std::ranges::stable_sort(holdings, std::greater(), &Holding::first);
  const Holding &first = holdings[0], &second = holdings[1];
  const double peak_bytes = *step.bytes(metric::kMemory, metric::kPeakAllocated);
  if (second.first <= 0 || first.first + second.first < peak_bytes / 2) return "";
  return ", mostly " + first.second + " (" + format_bytes_briefly(first.first) + ") and " +
         second.second + " (" + format_bytes_briefly(second.first) + ")";
}

/// Describes a mode's peak at its longest context; after `previous` without repeating the network
/// and the same context. `parts` tells what holds it.
Facts peak_facts(const ProfileList& profiles, Mode mode, const MemoryProfile& longest,
                 const MemoryProfile* previous, const std::string& parts) {
  const bool longer_refused = std::ranges::any_of(profiles, [&](const MemoryProfile* profile) {
    const MemoryStep* step = profile->planned_step(mode);
    return profile->context() > longest.context() && step != nullptr &&
           step->out_of_memory() != nullptr;
  });
  const std::string context = format_count(longest.context());
  std::string subject = "The ";
  if (previous != &longest)
    subject = "At context " + context +
              (longer_refused ? ", the longest measured that fits, the " : " the ");
  subject += mode_words(mode);
  if (previous == nullptr) subject += " of " + longest.spec.size;
  return Facts()
      .set("subject", subject)
      .set("peak", format_bytes_briefly(*longest.peak_bytes(mode)))
      .set("parts", parts)
      .set("context", context);
}

/// Returns the context at which, by the formulas, the step's peak leaves the optimizer. Returns
/// nothing unless steps were measured on both sides of it, and peak in backward beyond it.
std::optional<std::int64_t> peak_leaves_optimizer_at(const std::vector<StepRow>& steps) {
  const auto later = std::ranges::find_if(
      steps, [](const StepRow& row) { return row.phase() == metric::kBackward; });
  const bool moves =
      later != steps.begin() &&
      std::all_of(steps.begin(), later,
                  [](const StepRow& row) { return row.phase() == metric::kOptimizer; }) &&
      std::all_of(later, steps.end(),
                  [](const StepRow& row) { return row.phase() == metric::kBackward; });
  if (!moves || later == steps.end() || under_autocast(later->step->spec())) return std::nullopt;
  const std::int64_t last_in_optimizer = (later - 1)->context();
  CellSpec spec = later->step->spec();
  for (spec.context = last_in_optimizer; *spec.context <= later->context(); ++*spec.context) {
    if (expected_peak(spec).phase != metric::kBackward) continue;
    return *spec.context > last_in_optimizer ? spec.context : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

PartContent present_peaks(const RunView& view, const std::vector<MemoryProfile>& profiles) {
  PartContent part;
  set_common_facts(part.facts, profiles);
  const ProfileList described = described_profiles(profiles);
  const ProfileList same_precision = select_precision(profiles, described.front()->spec.precision);
  const std::string reasons = why_no_peaks(*same_precision.front());
  const MemoryProfile* inference = longest_measured(described, Mode::kInference);
  const MemoryProfile* step = longest_measured(described, Mode::kTrainStep);
  std::vector<Facts> peaks;
  if (inference != nullptr)
    peaks.push_back(peak_facts(described, Mode::kInference, *inference, nullptr, ""));
  const auto leaves_at = peak_leaves_optimizer_at(training_step_rows(planned_in_full(described)));
  if (step != nullptr) {
    const std::string parts =
        leaves_at ? "" : largest_parts(*step->measured_step(Mode::kTrainStep));
    peaks.push_back(peak_facts(described, Mode::kTrainStep, *step, inference, parts));
  }
  part.facts.when("key", step != nullptr ? std::optional(peaks.back()) : std::nullopt);
  part.facts.flag("nothing", peaks.empty()).list("peaks", std::move(peaks));
  // The formulas are of labreport's network.
  part.facts.flag("own", described.front()->spec.implementation.empty());
  part.facts.set("reasons", reasons.empty() ? "" : " (" + reasons + ")");
  part.facts.when("moves", leaves_at.has_value(), "tokens", format_count(leaves_at.value_or(0)));
  part.datasets = {contexts_data(planned_in_full(same_precision)),
                   forward_peaks_data(same_precision), steps_data(select_all(profiles))};
  add_what_fits(part, view, profiles);
  std::vector<const Cell*> cells;
  for (const MemoryProfile& profile : profiles) {
    for (const auto& [mode, step] : profile.steps) cells.push_back(step.cell);
  }
  part.details.tables = {command_table(view.run(), kProblem, cells)};
  part.details.warnings = warnings(profiles);
  return part;
}

}  // namespace labreport::memory_profiling
