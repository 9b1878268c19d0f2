// Presents part (b): how long the phases of a step take and how much they vary.
#include <cmath>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/benchmarking_script/presenters.h"
#include "experiments/common/bound.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/change.h"
#include "experiments/common/ratio.h"
#include "plan/arithmetic.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kTwiceTolerance = 0.15;  // Ratios within 2 ± this count as "about twice".
constexpr double kTera = 1e12;
constexpr Notation kRate{Notation::kSignificant, 3};

/// Returns the rate of a phase's GEMMs in TFLOP/s, from the profile of a process's first step. The
/// phase has `flop_factor` times the FLOPs of `forward`, a spec whose mode is the forward pass.
std::optional<double> gemm_rate(const RunView& view, const CellSpec& forward,
                                std::string_view phase, double flop_factor) {
  const auto flops = step_flops(forward);
  const Launch* launch = profiled_first_step(view, forward);
  if (!flops || launch == nullptr) return std::nullopt;
  double ns = 0;
  for (const MeasuredRow& row : measured_rows(*launch, metric::kKernels)) {
    if (!row.text(column::kClass).starts_with("gemm") || row.text(column::kPhase) != phase)
      continue;
    const auto kernel_ns = row.number(column::kTotalNs);
    if (!kernel_ns) return std::nullopt;
    ns += *kernel_ns;
  }
  return quotient(flop_factor * *flops / kTera, ns / 1e9);
}

/// The times of one network at one context and precision, in all modes.
struct SizeRow {
  const TimingGroup* group;
  PhaseTimes phases_ms;
  NetworkBounds bounds;
  std::optional<double> forward_rate, backward_rate;  ///< TFLOP/s of GEMMs.
  std::string reason;                                 ///< Why times are missing; empty if none is.
  std::vector<std::string> flags;

  const std::string& label() const { return group->label; }
  std::optional<Ratio> backward_ratio() const {
    return ratio_of(phases_ms.backward, phases_ms.forward);
  }
};

std::vector<SizeRow> size_rows(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<SizeRow> rows;
  for (const TimingGroup& group : groups) {
    std::vector<std::string> flags;
    for (const auto& [mode, cell] : group.cells) {
      if (const auto step = timed_launch(group, mode))
        std::ranges::move(disturbances(*step), std::back_inserter(flags));
    }
    const NetworkBounds bounds = network_bounds(view, group);
    for (const auto& [phase, bound] :
         {std::pair("forward", &bounds.forward), std::pair("backward", &bounds.backward),
          std::pair("optimizer", &bounds.optimizer)}) {
      if (bound->bound() == Bound::kLaunch) flags.push_back(std::string("launch-bound ") + phase);
    }
    CellSpec forward = group.spec;
    forward.mode = Mode::kForward;
    rows.push_back({.group = &group,
                    .phases_ms = phase_times(group),
                    .bounds = bounds,
                    .forward_rate = gemm_rate(view, forward, metric::kForward, 1),
                    .backward_rate = gemm_rate(view, forward, metric::kBackward, 2),
                    .reason = why_modes_are_missing(group),
                    .flags = distinct(flags)});
  }
  return rows;
}

using PhaseMember = std::vector<double> PhaseTimes::*;

constexpr std::pair<const char*, PhaseMember> kPhases[]{{"forward", &PhaseTimes::forward},
                                                        {"backward", &PhaseTimes::backward},
                                                        {"optimizer", &PhaseTimes::optimizer}};

Value mean_or_reason(const SizeRow& row, const std::vector<double>& samples) {
  return samples.empty() ? Value::missing(row.reason) : Value::mean_of(samples);
}

Column<SizeRow> phase_column(const char* name, const char* title, PhaseMember phase) {
  return {name, title,
          [=](const SizeRow& row) { return mean_or_reason(row, row.phases_ms.*phase); }, "ms"};
}

Column<SizeRow> whole_step_column(const char* name, const char* title, Mode mode) {
  return {name, title,
          [mode](const SizeRow& row) {
            return mean_or_reason(row, whole_step_times(*row.group, mode));
          },
          "ms"};
}

const std::vector<Column<SizeRow>> kSizes{
    {"size", "Size", [](const SizeRow& row) { return row.group->name; }},
    {"context", "Context", [](const SizeRow& row) { return row.group->context; }, "", kAsCount},
    phase_column("forward", "Forward", &PhaseTimes::forward),
    phase_column("backward", "Backward", &PhaseTimes::backward),
    phase_column("optimizer", "Optimizer", &PhaseTimes::optimizer),
    {"ratio",
     "Backward ÷ forward",
     [](const SizeRow& row) {
       return row.backward_ratio() ? Value(row.backward_ratio()->value) : Value();
     },
     "×",
     {Notation::kFixed, 2}},
    {"forward_rate", "Forward GEMMs", &SizeRow::forward_rate, "TFLOP/s", kRate},
    {"backward_rate", "Backward GEMMs", &SizeRow::backward_rate, "TFLOP/s", kRate},
    whole_step_column("inference_step", "Inference", Mode::kInference),
    whole_step_column("forward_step", "Forward", Mode::kForward),
    whole_step_column("forward_backward_step", "Forward+backward", Mode::kForwardBackward),
    whole_step_column("train_step", "Training step", Mode::kTrainStep),
    {"label", "Label", &SizeRow::label}};

struct Sample {
  std::string label, phase;
  double ms;
};

const std::vector<Column<Sample>> kSamples{{"label", "Size", &Sample::label},
                                           {"name", "Name", &Sample::phase},
                                           {"ms", "Time", &Sample::ms, "ms"}};

Dataset samples_dataset(const std::vector<SizeRow>& rows) {
  std::vector<Sample> samples;
  for (const SizeRow& row : rows) {
    for (const auto& [name, phase] : kPhases) {
      for (const double ms : row.phases_ms.*phase) samples.push_back({row.label(), name, ms});
    }
  }
  return make_dataset("samples", kSamples, samples);
}

/// The throughput of a network at one context, in the run's only mode.
struct TokensRow {
  std::string size;
  std::int64_t context;
  double tokens_per_second;
};

const std::vector<Column<TokensRow>> kTokens{
    {"size", "Size", &TokensRow::size},
    {"context", "Context", &TokensRow::context, "", kAsCount},
    {"tokens",
     "Tokens per second",
     &TokensRow::tokens_per_second,
     "",
     {Notation::kSignificant, 3}}};

/// Returns no rows unless the run has a single mode and several contexts.
std::vector<TokensRow> tokens_rows(const std::vector<TimingGroup>& groups) {
  std::set<Mode> modes;
  std::vector<TokensRow> rows;
  for (const TimingGroup& group : groups) {
    if (!group.context) return {};
    for (const auto& [mode, cell] : group.cells) {
      modes.insert(mode);
      const std::vector<double> ms = whole_step_times(group, mode);
      if (ms.empty() || mean(ms) <= 0) continue;
      const auto tokens = static_cast<double>(group.spec.batch.value_or(1) * *group.context);
      rows.push_back({group.name, *group.context, tokens / (mean(ms) / 1e3)});
    }
  }
  return modes.size() == 1 ? rows : std::vector<TokensRow>();
}

std::vector<SizeRow> rows_with_phase(const std::vector<SizeRow>& rows, PhaseMember phase) {
  return only(rows, [phase](const SizeRow& row) { return !(row.phases_ms.*phase).empty(); });
}

/// Tells the first and the last network's times and all ratios. `rows` must not be empty.
Facts timed_facts(const std::vector<SizeRow>& rows) {
  const SizeRow &first = rows.front(), &last = rows.back();
  const auto mean_ms = [](const std::vector<double>& samples) {
    return samples.empty() ? "" : format_significant(mean(samples), 3);
  };
  Facts facts;
  facts.set("first_size", first.label()).set("last_size", last.label());
  facts.set("forward_first", mean_ms(first.phases_ms.forward));
  facts.set("forward_last", mean_ms(last.phases_ms.forward));
  facts.flag("one", rows.size() == 1).flag("several", rows.size() > 1);
  const auto ratio_rows = only(rows, &SizeRow::backward_ratio);
  const auto ratios =
      each(ratio_rows, [](const SizeRow& row) { return row.backward_ratio()->value; });
  const bool all_twice = std::ranges::all_of(
      ratios, [](double ratio) { return std::abs(ratio - 2) <= kTwiceTolerance; });
  facts.when("twice", !ratios.empty() && all_twice, "backward",
             from_to(mean_ms(first.phases_ms.backward), mean_ms(last.phases_ms.backward)));
  return facts.when("not_twice", !ratios.empty() && !all_twice, "ratio",
                    ratios.empty() ? ""
                                   : from_to(format_ratio(std::ranges::min(ratios)),
                                             format_ratio(std::ranges::max(ratios))));
}

/// Finds the largest coefficient of variation and its row. There are no facts if no samples varied.
class LargestVariation {
 public:
  void add(const SizeRow& row, const std::vector<double>& samples) {
    const double variation = variation_of(samples).value_or(0);
    if (variation > variation_) std::tie(variation_, row_) = std::tuple(variation, &row);
  }
  const SizeRow* row() const { return row_; }  ///< Null if no samples varied.
  std::optional<Facts> facts() const {
    if (row_ == nullptr) return std::nullopt;
    // The text says "at most", so the coefficient is rounded up to the last digit written.
    const double last_digit = variation_ > 1 ? 0.1 : variation_ < 0.0995 ? 0.001 : 0.01;
    const double bound = std::ceil(variation_ / last_digit) * last_digit;
    return Facts()
        .set("share", variation_ > 1 ? format_fixed(bound, 1) + "× the mean"
                                     : format_rough_percent(bound) + " %")
        .set("size", row_->label());
  }

 private:
  double variation_ = 0;
  const SizeRow* row_ = nullptr;
};

Facts duration_facts(const std::vector<SizeRow>& all) {
  const auto forward_rows = rows_with_phase(all, &PhaseTimes::forward);
  const auto backward_rows = rows_with_phase(forward_rows, &PhaseTimes::backward);
  const auto& rows = backward_rows.empty() ? forward_rows : backward_rows;
  LargestVariation passes, optimizer;
  for (const SizeRow& row : rows) {
    for (const auto& samples : {row.phases_ms.forward, row.phases_ms.backward,
                                whole_step_times(*row.group, Mode::kForward),
                                whole_step_times(*row.group, Mode::kInference)})
      passes.add(row, samples);
    optimizer.add(row, row.phases_ms.optimizer);
  }
  Facts facts;
  facts.flag("nothing", rows.empty());
  facts.set("subject", backward_rows.empty() ? "It varies" : "Passes vary");
  facts.set("launch_below", format_fixed(100 * kLaunchBoundBelow, 0));
  facts.when("timed", !rows.empty(), rows.empty() ? Facts() : timed_facts(rows));
  facts.when("passes", passes.facts());
  auto of_optimizer = optimizer.facts();
  if (of_optimizer) {
    const auto& costs = optimizer.row()->bounds.optimizer.costs;
    of_optimizer->flag("elsewhere", optimizer.row() != passes.row())
        .flag("by_launches", costs && costs->bound() == Bound::kLaunch);
  }
  return facts.when("optimizer", of_optimizer);
}

}  // namespace

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups) {
  const std::vector<SizeRow> rows = size_rows(view, groups);
  PartContent part;
  part.facts = duration_facts(rows);
  part.facts.flag("gpu", view.on_gpu());
  part.datasets = step_datasets(view, groups);
  part.datasets.push_back(make_dataset("sizes", kSizes, rows));
  part.datasets.push_back(samples_dataset(rows));
  part.datasets.push_back(make_dataset("tokens", kTokens, tokens_rows(groups)));
  part.details.tables = {bounds_table(view, groups)};
  part.details.warnings = step_warnings(groups);
  return part;
}

}  // namespace labreport::benchmarking_script
