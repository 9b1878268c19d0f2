#include "document/comparison/beside.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/comparison.h"
#include "base/error.h"
#include "base/format.h"
#include "document/comparison/diff_facts.h"
#include "document/section.h"
#include "embedded/document.h"

namespace labreport {
namespace {

constexpr const char* kBesideWords = "src/document/comparison/beside.md";
constexpr Notation kShareOfA{Notation::kFixed, 2};

/// A network's training step on both sides.
struct StepPair {
  const ComparedRow* step = nullptr;
  std::optional<std::int64_t> context = {};  ///< Set if there are several contexts.
  // Ratios B ÷ A.
  std::optional<double> whole = {}, forward = {}, backward = {}, optimizer = {}, memory = {};
  std::vector<std::string> flags = {};

  Value ms(const RowSide& side) const {
    return side.value ? Value(*side.value / kNanosecondsPerMillisecond) : Value();
  }
};

std::vector<Column<StepPair>> step_columns(const SideNames& names) {
  const std::string over = "×";  // The model's time or memory over that of labreport's network.
  return {
      {"size", "Size", [](const auto& pair) { return pair.step->size; }},
      {"context", "Context", &StepPair::context, "", {Notation::kCount}},
      {"precision", "Precision",
       [](const auto& pair) {
         return describe(pair.step->spec.precision.value_or(Precision::kFp32));
       }},
      {"a", names.head_a, [](const auto& pair) { return pair.ms(pair.step->a); }, "ms"},
      {"b", names.head_b, [](const auto& pair) { return pair.ms(pair.step->b); }, "ms"},
      {"ratio", "Step", [](const auto& pair) { return Value(pair.step->ratio); }, over, kShareOfA},
      {"forward", "Forward", &StepPair::forward, over, kShareOfA},
      {"backward", "Backward", &StepPair::backward, over, kShareOfA},
      {"optimizer", "Optimizer", &StepPair::optimizer, over, kShareOfA},
      {"memory", "Peak memory", &StepPair::memory, over, kShareOfA},
      {"verdict", "Verdict", [](const auto& pair) { return verdict_of(*pair.step); }}};
}

/// Takes the timed step's own peak if it was counted, as on every GPU; else the memory problem's.
std::optional<double> memory_ratio(const Comparison& comparison, const Run& run,
                                   const ComparedRow& step) {
  const auto peaks = [&run](const std::string& id) {
    return launch_values(*run.find(id), Measure::kPeakMemory);
  };
  const auto a = peaks(step.cell);
  const auto b = peaks(step.cell_b);
  if (!a.empty() && !b.empty()) return ratio_of(a, b);
  for (const ComparedRow& row : comparison.rows) {
    const bool same = same_setting(row.spec, step.spec) && row.spec.mode == step.spec.mode;
    if (same && row.measure == Measure::kPeakMemory) return row.ratio;
  }
  return std::nullopt;
}

void take(StepPair& pair, const ComparedRow& row) {
  if (row.measure == Measure::kForward) pair.forward = row.ratio;
  if (row.measure == Measure::kBackward) pair.backward = row.ratio;
  if (row.measure == Measure::kOptimizer) pair.optimizer = row.ratio;
}

bool of_training_step(const ComparedRow& row) {
  return row.spec.kind == CellKind::kTiming && row.spec.mode == Mode::kTrainStep &&
         row.measure != Measure::kFirstStep && !row.cell_b.empty();
}

void add_contexts(std::vector<StepPair>& pairs) {
  const auto another = [&](const StepPair& pair) {
    return pair.step->spec.context != pairs.front().step->spec.context;
  };
  if (std::ranges::none_of(pairs, another)) return;
  for (StepPair& pair : pairs) pair.context = pair.step->spec.context;
}

/// The step's own row comes before those of its phases.
std::vector<StepPair> step_pairs(const Comparison& comparison, const Run& run) {
  std::vector<StepPair> pairs;
  for (const ComparedRow& row : comparison.rows) {
    if (!of_training_step(row)) continue;
    if (row.measure == Measure::kStep) {
      pairs.push_back({.step = &row, .whole = row.ratio});
      pairs.back().memory = memory_ratio(comparison, run, row);
      pairs.back().flags = diff_row(0, row, names_of(comparison)).flags;
    }
    if (!pairs.empty() && pairs.back().step->cell == row.cell) take(pairs.back(), row);
  }
  add_contexts(pairs);
  return pairs;
}

using StepPairs = std::vector<StepPair>;
constexpr double kApart = 1.05;

/// The ratios B ÷ A of one precision, "1.18 to 1.23", if all are on that side of 1.
std::optional<Facts> all_beyond(const StepPairs& pairs, Precision precision,
                                std::optional<double> StepPair::* ratio, bool above) {
  std::vector<double> ratios;
  for (const StepPair& pair : pairs) {
    if (pair.step->spec.precision != precision || !(pair.*ratio)) continue;
    if (above ? *(pair.*ratio) < kApart : *(pair.*ratio) > 1 / kApart) return std::nullopt;
    ratios.push_back(*(pair.*ratio));
  }
  if (ratios.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(ratios);
  const std::string from = format_ratio(low), to = format_ratio(high);
  return Facts()
      .set("precision", describe(precision))
      .set("times", from == to ? from : from + " to " + to);
}

constexpr Precision kSpokenOf[]{Precision::kFp32, Precision::kTf32, Precision::kBf16,
                                Precision::kFp16};

/// Passes that are slower although every step is faster, or the other way round.
std::vector<Facts> contrary_passes(const StepPairs& pairs) {
  std::vector<Facts> list;
  for (const Precision precision : kSpokenOf) {
    for (const bool above : {true, false}) {
      if (!all_beyond(pairs, precision, &StepPair::whole, !above)) continue;
      for (const auto& [pass, ratio] :
           {std::pair("forward", &StepPair::forward), std::pair("backward", &StepPair::backward)}) {
        auto found = all_beyond(pairs, precision, ratio, above);
        if (found) list.push_back(found->set("phase", pass));
      }
    }
  }
  return list;
}

std::vector<Facts> memory_changes(const StepPairs& pairs) {
  std::vector<Facts> list;
  for (const Precision precision : kSpokenOf) {
    for (const bool above : {true, false}) {
      if (auto found = all_beyond(pairs, precision, &StepPair::memory, above))
        list.push_back(std::move(*found));
    }
  }
  return list;
}

/// Each number that both sides have, in one unit.
Dataset each_ratio(const Comparison& comparison, const char* name, std::string_view in) {
  std::vector<DiffRow> rows;
  for (const ComparedRow& row : comparison.rows) {
    const bool shown = row.standing == RowStanding::kMatched && unit(row.measure) == in;
    if (shown) rows.push_back(diff_row(0, row, names_of(comparison)));
  }
  Dataset data = ratio_data(rows, comparison).front();
  data.name = name;
  for (RowView& row : data.rows) {
    for (Value& value : row.cells) value.link.clear();  // no table of launches to link to
  }
  return data;
}

/// The word for what a profile counts: a CPU has no kernels.
const char* kernels_of(const Run& run) {
  const Device* device = main_device(run);
  return device != nullptr && device->kind == DeviceKind::kCpu ? "operators" : "kernels";
}

PartContent beside(const Comparison& comparison, const Run& run) {
  const StepPairs pairs = step_pairs(comparison, run);
  PartContent part;
  part.facts = summary_facts(comparison);
  part.facts.list("contrary", contrary_passes(pairs));
  part.facts.list("memory", memory_changes(pairs));
  part.facts.list("differences", place_facts(comparison));
  part.facts.set("model", comparison.b.model);
  if (const ModelSource* model = measured_model(run)) {
    part.facts.set("loss", model->loss);
    part.facts.set("trained_by", model->optimizer);
  }
  part.facts.set("kernels", kernels_of(run));
  part.datasets = place_data(comparison);
  part.datasets.insert(part.datasets.end(),
                       {make_dataset("steps", step_columns(names_of(comparison)), pairs),
                        each_ratio(comparison, "times", "ns"), each_ratio(comparison, "peaks", "B"),
                        lone_data(comparison)});
  return part;
}

}  // namespace

std::optional<Section> beside_section(const Run& run) try {
  const Comparison comparison = compare_halves(run);
  Section section =
      compose_section(embedded::document().at(kBesideWords), {{"", beside(comparison, run)}});
  section.parts.front().title = "";
  return section;
} catch (const InputError&) {
  return std::nullopt;  // no cells in common yet
}

}  // namespace labreport
