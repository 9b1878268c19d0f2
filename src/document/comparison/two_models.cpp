#include "document/comparison/two_models.h"

#include <algorithm>
#include <utility>

#include "analysis/comparison.h"
#include "base/error.h"
#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "document/comparison/diff_facts.h"
#include "document/keyed_number.h"
#include "document/section.h"
#include "embedded/document.h"

namespace labreport {
namespace {

constexpr const char* kSectionFile = "src/document/comparison/two_models.md";
constexpr Notation kRatioFormat{Notation::kFixed, 2};
constexpr double kMinReportedRatio = 1.05;

/// A training step of labreport's network, A, and of the user's model, B, with the ratios B ÷ A.
struct StepPair {
  const ComparedRow* row = nullptr;          ///< The row of the whole step.
  std::optional<std::int64_t> context = {};  ///< Set if the pairs have several contexts.
  std::optional<double> step_ratio = {}, forward_ratio = {}, backward_ratio = {};
  std::optional<double> optimizer_ratio = {}, memory_ratio = {};
  std::vector<std::string> flags = {};  ///< Remarks that make_dataset() copies to the row.

  Value ms(const RowSide& side) const {
    return side.value ? Value(*side.value / kNanosecondsPerMillisecond) : Value();
  }
};
using StepPairs = std::vector<StepPair>;

std::vector<Column<StepPair>> step_columns(const SideNames& names) {
  const std::string unit = "×";  // The model's time or memory over that of labreport's network.
  return {{"size", "Size", [](const auto& pair) { return pair.row->size; }},
          {"context", "Context", &StepPair::context, "", {Notation::kCount}},
          {"precision", "Precision",
           [](const auto& pair) {
             return describe(pair.row->spec.precision.value_or(Precision::kFp32));
           }},
          {"a", names.title_a, [](const auto& pair) { return pair.ms(pair.row->a); }, "ms"},
          {"b", names.title_b, [](const auto& pair) { return pair.ms(pair.row->b); }, "ms"},
          {"ratio", "Step", [](const auto& pair) { return Value(pair.row->ratio); }, unit,
           kRatioFormat},
          {"forward", "Forward", &StepPair::forward_ratio, unit, kRatioFormat},
          {"backward", "Backward", &StepPair::backward_ratio, unit, kRatioFormat},
          {"optimizer", "Optimizer", &StepPair::optimizer_ratio, unit, kRatioFormat},
          {"memory", "Peak memory", &StepPair::memory_ratio, unit, kRatioFormat},
          {"verdict", "Verdict", [](const auto& pair) { return verdict_cell(*pair.row); }}};
}

/// Returns the ratio B ÷ A of peak memory: that of the memory cells of the same setting and mode,
/// which the table of peaks shows, or else that of the timed step.
std::optional<double> peak_ratio(const Comparison& comparison, const Run& run,
                                 const ComparedRow& step) {
  for (const ComparedRow& row : comparison.rows) {
    const bool same_step = same_setting(row.spec, step.spec) && row.spec.mode == step.spec.mode;
    if (same_step && row.measure == Measure::kPeakMemory && row.ratio) return row.ratio;
  }
  const auto a = launch_values(*run.find(step.cell_id), Measure::kPeakMemory);
  const auto b = launch_values(*run.find(step.cell_id_b), Measure::kPeakMemory);
  return a.empty() || b.empty() ? std::nullopt : std::optional(ratio_of(a, b));
}

/// Pairs training steps. In the comparison, a step's own row comes before the rows of its phases.
StepPairs step_pairs(const Comparison& comparison, const Run& run) {
  StepPairs pairs;
  for (const ComparedRow& row : comparison.rows) {
    const bool is_training =
        row.spec.kind == CellKind::kTiming && row.spec.mode == Mode::kTrainStep;
    if (!is_training || row.measure == Measure::kFirstStep || row.cell_id_b.empty()) continue;
    if (row.measure == Measure::kStep) {
      pairs.push_back({.row = &row, .step_ratio = row.ratio});
      pairs.back().memory_ratio = peak_ratio(comparison, run, row);
      pairs.back().flags = diff_row(row, side_names(comparison)).flags;
      if (row.ranges_overlap()) pairs.back().flags.emplace_back("ranges overlap");
    }
    if (pairs.empty() || pairs.back().row->cell_id != row.cell_id) continue;
    if (row.measure == Measure::kForward) pairs.back().forward_ratio = row.ratio;
    if (row.measure == Measure::kBackward) pairs.back().backward_ratio = row.ratio;
    if (row.measure == Measure::kOptimizer) pairs.back().optimizer_ratio = row.ratio;
  }
  const bool several_contexts = std::ranges::any_of(pairs, [&](const StepPair& pair) {
    return pair.row->spec.context != pairs.front().row->spec.context;
  });
  for (StepPair& pair : pairs) {
    if (several_contexts) pair.context = pair.row->spec.context;
  }
  return pairs;
}

/// Returns the range of the ratios B ÷ A in one precision, "1.18 to 1.23", if all are at least
/// kMinReportedRatio (`above`) or all at most its inverse.
std::optional<Facts> one_sided_range(const StepPairs& pairs, Precision precision,
                                     std::optional<double> StepPair::* ratio, bool above) {
  std::vector<double> ratios;
  for (const StepPair& pair : pairs) {
    if (pair.row->spec.precision != precision || !(pair.*ratio)) continue;
    if (above ? *(pair.*ratio) < kMinReportedRatio : *(pair.*ratio) > 1 / kMinReportedRatio)
      return std::nullopt;
    ratios.push_back(*(pair.*ratio));
  }
  if (ratios.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(ratios);
  const std::string from = format_ratio(low), to = format_ratio(high);
  return Facts()
      .set("precision", describe(precision))
      .set("times", from == to ? from : from + " to " + to);
}

/// Adds the passes that are slower although every whole step is faster, or the other way round, and
/// the differences in peak memory.
void add_pass_and_memory_facts(Facts& facts, const StepPairs& pairs) {
  std::vector<Facts> contrary, memory;
  for (const Precision precision : kComparedPrecisions) {
    for (const bool above : {true, false}) {
      if (auto peaks = one_sided_range(pairs, precision, &StepPair::memory_ratio, above)) {
        memory.push_back(std::move(*peaks));
      }
      if (!one_sided_range(pairs, precision, &StepPair::step_ratio, !above)) continue;
      for (const auto& [pass, ratio] : {std::pair("forward", &StepPair::forward_ratio),
                                        std::pair("backward", &StepPair::backward_ratio)}) {
        auto range = one_sided_range(pairs, precision, ratio, above);
        if (range) contrary.push_back(range->set("phase", pass));
      }
    }
  }
  facts.list("contrary", std::move(contrary));
  facts.list("memory", std::move(memory));
}

/// Names the pair's step: "small in BF16", with the context if the pairs have several.
std::string step_name(const StepPair& pair) {
  const std::string at =
      pair.context ? " at context " + format_count(*pair.context) : std::string();
  return escape_markdown(pair.row->size) + at + " in " +
         std::string(describe(*pair.row->spec.precision));
}

/// Returns the pairs of networks smaller than the largest of their precision, whose ratio is at
/// least kMinReportedRatio or at most its inverse.
StepPairs noticeable_smaller_pairs(const StepPairs& pairs) {
  const auto parameters = [](const StepPair& pair) {
    return pair.row->spec.model ? parameter_count(*pair.row->spec.model) : 0;
  };
  return only(pairs, [&](const StepPair& pair) {
    const bool is_smaller = std::ranges::any_of(pairs, [&](const StepPair& other) {
      return other.row->spec.precision == pair.row->spec.precision &&
             parameters(other) > parameters(pair);
    });
    const double ratio = pair.step_ratio.value_or(1);
    return is_smaller && std::max(ratio, 1 / ratio) >= kMinReportedRatio;
  });
}

/// Returns the kernels' time of the pair's training step; null if it was not profiled.
const ComparedRow* kernel_time(const Comparison& comparison, const StepPair& pair) {
  for (const ComparedRow& row : comparison.rows) {
    const bool same_step =
        same_setting(row.spec, pair.row->spec) && row.spec.mode == pair.row->spec.mode;
    if (same_step && row.measure == Measure::kKernelTime && row.ratio) return &row;
  }
  return nullptr;
}

/// Tells how much longer the steps of smaller networks take, which summary_facts() leaves out, and
/// that the CPU makes the first of them longer if its kernels take no longer.
std::optional<Facts> smaller_facts(const Comparison& comparison, const StepPairs& all) {
  constexpr double kNoLonger = 1.01;
  const StepPairs pairs = only(noticeable_smaller_pairs(all),
                               [](const StepPair& pair) { return !pair.row->ranges_overlap(); });
  if (pairs.empty()) return std::nullopt;
  std::vector<std::string> ratios;
  for (const StepPair& pair : pairs) {
    ratios.push_back("**" + format_ratio(*pair.step_ratio) + "×**" +
                     (ratios.empty() ? " as long as labreport’s" : "") + " for " + step_name(pair));
  }
  const ComparedRow* kernels = kernel_time(comparison, pairs.front());
  const bool is_cpu = kernels != nullptr && *pairs.front().step_ratio >= kMinReportedRatio &&
                      *kernels->ratio <= kNoLonger;
  Facts cpu;
  if (is_cpu)
    cpu.set("size", pairs.front().row->size)
        .set("precision", describe(*pairs.front().row->spec.precision))
        .set("ms", *kernels->b.value / kNanosecondsPerMillisecond, kThreeDigits)
        .set("other_ms", *kernels->a.value / kNanosecondsPerMillisecond, kThreeDigits);
  return Facts()
      .set_markdown("ratios", join_words(ratios))
      .when("cpu", is_cpu ? std::optional(cpu) : std::nullopt);
}

/// Names the steps of smaller networks whose ratio would be told if their ranges did not overlap.
std::optional<Facts> smaller_unclear_facts(const StepPairs& all) {
  std::vector<std::string> steps;
  for (const StepPair& pair : noticeable_smaller_pairs(all)) {
    if (pair.row->ranges_overlap()) steps.push_back(step_name(pair));
  }
  if (steps.empty()) return std::nullopt;
  return Facts().set_markdown("steps", join_words(steps));
}

/// Returns both sides' values and their ratios for all matched rows whose unit is `of_unit`.
Dataset matched_ratio_data(const Comparison& comparison, const char* name,
                           std::string_view of_unit) {
  std::vector<DiffRow> rows;
  for (const ComparedRow& row : comparison.rows) {
    const bool is_listed = row.status == RowStatus::kMatched && unit(row.measure) == of_unit;
    if (is_listed) rows.push_back(diff_row(row, side_names(comparison)));
  }
  return row_data(name, rows, comparison);
}

}  // namespace

std::optional<Section> two_models_section(const Run& run) try {
  const Comparison comparison = compare_two_models(run);
  const bool compares_networks = std::ranges::any_of(comparison.rows, [](const ComparedRow& row) {
    return row.status == RowStatus::kMatched && row.spec.model;
  });
  if (!compares_networks) return std::nullopt;  // only all-reduces, which involve neither
  const StepPairs pairs = step_pairs(comparison, run);
  PartContent part;
  part.facts = summary_facts(comparison, {});
  add_pass_and_memory_facts(part.facts, pairs);
  part.facts.when("smaller", smaller_facts(comparison, pairs));
  part.facts.when("smaller_unclear", smaller_unclear_facts(pairs));
  part.facts.list("differences", place_facts(comparison));
  part.facts.set("model", comparison.b.implementation);
  if (const ModelSource* model = measured_model(run)) {
    part.facts.when("brings_loss", !model->step,
                    Facts().set("loss", model->loss).set("trained_by", model->optimizer));
  }
  const Device* device = most_used_device(run);
  const bool on_cpu = device != nullptr && device->kind == DeviceKind::kCpu;
  part.facts.set("kernels", on_cpu ? "operators" : "kernels");
  part.datasets = place_data(comparison);
  part.datasets.insert(
      part.datasets.end(),
      {make_dataset("steps", step_columns(side_names(comparison)), pairs),
       matched_ratio_data(comparison, "times", "ns"), matched_ratio_data(comparison, "peaks", "B"),
       not_compared_data(comparison)});
  Section section = compose_section(embedded::document().at(kSectionFile), {{"", part}});
  Part& composed = section.parts.front();
  composed.title = "";
  composed.answer = without_keys(composed.answer);  // A report's numbers have none.
  return section;
} catch (const InputError&) {
  return std::nullopt;  // The networks have no cell in common yet.
}

}  // namespace labreport
