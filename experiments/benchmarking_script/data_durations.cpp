// Part (b): how long the phases of a step take and how much they vary.
#include <cmath>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/lists.h"
#include "experiments/benchmarking_script/presenters.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/change.h"
#include "experiments/common/ratio.h"
#include "plan/arithmetic.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kAboutTwice = 0.15;  // The ratio counts as "about twice" within 2 ± this.
constexpr double kTera = 1e12;
constexpr Notation kRate{Notation::kSignificant, 3};

/// The rate of a pass's GEMMs in TFLOP/s, from the profile of a process's first step. The mode of
/// `network` is a forward pass; the pass in question has `forwards` times its FLOPs.
std::optional<double> gemm_rate(const RunView& view, const CellSpec& network,
                                std::string_view phase, double forwards) {
  const auto flops = step_flops(network);
  const Launch* launch = profiled_first_step(view, network);
  if (!flops || launch == nullptr) return std::nullopt;
  double ns = 0;
  for (const MeasuredRow& row : measured_rows(*launch, metric::kKernels)) {
    if (!row.text(column::kClass).starts_with("gemm") || row.text(column::kPhase) != phase)
      continue;
    const auto kernel_ns = row.number(column::kTotalNs);
    if (!kernel_ns) return std::nullopt;
    ns += *kernel_ns;
  }
  return quotient(forwards * *flops / kTera, ns / 1e9);
}

struct SizeRow {
  const TimingGroup* group;
  PhaseTimes times;
  std::optional<double> forward_rate, backward_rate;  ///< TFLOP/s of GEMMs.
  std::string reason;                                 ///< Why times are missing; may be empty.
  std::vector<std::string> flags;

  const std::string& size() const { return group->label; }
  std::optional<Ratio> ratio() const { return ratio_of(times.backward, times.forward); }
};

std::vector<SizeRow> size_rows(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<SizeRow> rows;
  for (const TimingGroup& group : groups) {
    std::vector<std::string> flags;
    for (const auto& [mode, cell] : group.cells) {
      if (const auto step = timed_launch(group, mode))
        std::ranges::move(disturbances(*step), std::back_inserter(flags));
    }
    CellSpec forward = group.spec;
    forward.mode = Mode::kForward;
    rows.push_back({.group = &group,
                    .times = phase_times(group),
                    .forward_rate = gemm_rate(view, forward, metric::kForward, 1),
                    .backward_rate = gemm_rate(view, forward, metric::kBackward, 2),
                    .reason = reasons_missing(group),
                    .flags = distinct(flags)});
  }
  return rows;
}

using Samples = std::vector<double> PhaseTimes::*;

constexpr std::pair<const char*, Samples> kPhases[]{{"forward", &PhaseTimes::forward},
                                                    {"backward", &PhaseTimes::backward},
                                                    {"optimizer", &PhaseTimes::optimizer}};

Value mean_of(const SizeRow& row, const std::vector<double>& samples) {
  return samples.empty() ? Value::missing(row.reason) : Value::mean_of(samples);
}

Column<SizeRow> phase(const char* name, const char* title, Samples samples) {
  return {name, title, [=](const SizeRow& row) { return mean_of(row, row.times.*samples); }, "ms"};
}

Column<SizeRow> whole(const char* name, const char* title, Mode mode) {
  return {name, title,
          [mode](const SizeRow& row) { return mean_of(row, whole_step_times(*row.group, mode)); },
          "ms"};
}

const std::vector<Column<SizeRow>> kSizes{
    {"size", "Size", [](const SizeRow& row) { return row.group->name; }},
    {"context",
     "Context",
     [](const SizeRow& row) { return row.group->context; },
     "",
     {Notation::kCount}},
    phase("forward", "Forward", &PhaseTimes::forward),
    phase("backward", "Backward", &PhaseTimes::backward),
    phase("optimizer", "Optimizer", &PhaseTimes::optimizer),
    {"ratio",
     "Backward ÷ forward",
     [](const SizeRow& row) { return row.ratio() ? Value(row.ratio()->value) : Value(); },
     "×",
     {Notation::kFixed, 2}},
    {"forward_rate", "Forward GEMMs", &SizeRow::forward_rate, "TFLOP/s", kRate},
    {"backward_rate", "Backward GEMMs", &SizeRow::backward_rate, "TFLOP/s", kRate},
    whole("inference_step", "Inference", Mode::kInference),
    whole("forward_step", "Forward", Mode::kForward),
    whole("forward_backward_step", "Forward+backward", Mode::kForwardBackward),
    whole("train_step", "Training step", Mode::kTrainStep),
    {"label", "Label", &SizeRow::size}};

struct Sample {
  std::string label, name;
  double ms;
};

const std::vector<Column<Sample>> kSamples{{"label", "Size", &Sample::label},
                                           {"name", "Name", &Sample::name},
                                           {"ms", "Time", &Sample::ms, "ms"}};

Dataset samples(const std::vector<SizeRow>& rows) {
  std::vector<Sample> all;
  for (const SizeRow& row : rows) {
    for (const auto& [name, member] : kPhases) {
      for (const double ms : row.times.*member) all.push_back({row.size(), name, ms});
    }
  }
  return make_dataset("samples", kSamples, all);
}

/// The throughput of a network at one context, in the run's only mode.
struct TokensRow {
  std::string size;
  std::int64_t context;
  double per_second;
};

const std::vector<Column<TokensRow>> kTokens{
    {"size", "Size", &TokensRow::size},
    {"context", "Context", &TokensRow::context, "", {Notation::kCount}},
    {"tokens", "Tokens per second", &TokensRow::per_second, "", {Notation::kSignificant, 3}}};

/// Returns no rows unless the run has a single mode and every group has `context` set.
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

std::vector<SizeRow> with_phase(const std::vector<SizeRow>& rows, Samples phase) {
  return only(rows, [phase](const SizeRow& row) { return !(row.times.*phase).empty(); });
}

/// The times of the first and the last network. `rows` must not be empty.
Facts timed_facts(const std::vector<SizeRow>& rows) {
  const SizeRow &first = rows.front(), &last = rows.back();
  const auto ms = [](const std::vector<double>& samples) {
    return samples.empty() ? "" : format_significant(mean(samples), 3);
  };
  Facts facts;
  facts.set("first_size", first.size()).set("last_size", last.size());
  facts.set("forward_first", ms(first.times.forward)).set("forward_last", ms(last.times.forward));
  facts.flag("one", rows.size() == 1).flag("several", rows.size() > 1);
  const auto known = only(rows, &SizeRow::ratio);
  const auto ratios = each(known, [](const SizeRow& row) { return row.ratio()->value; });
  const bool twice =
      std::ranges::all_of(ratios, [](double ratio) { return std::abs(ratio - 2) <= kAboutTwice; });
  facts.when("twice", !ratios.empty() && twice, "backward",
             from_to(ms(first.times.backward), ms(last.times.backward)));
  return facts.when("not_twice", !ratios.empty() && !twice, "ratio",
                    ratios.empty() ? ""
                                   : from_to(format_ratio(std::ranges::min(ratios)),
                                             format_ratio(std::ranges::max(ratios))));
}

/// Finds the largest coefficient of variation and its size. No facts if no samples varied.
class Spread {
 public:
  void add(const SizeRow& row, const std::vector<double>& samples) {
    const double share = variation_of(samples).value_or(0);
    if (share > share_) std::tie(share_, size_) = std::tie(share, row.size());
  }
  std::optional<Facts> facts() const {
    if (share_ <= 0) return std::nullopt;
    // The text says "at most", so the coefficient is rounded up to the last digit written.
    const double digit = share_ > 1 ? 0.1 : share_ < 0.0995 ? 0.001 : 0.01;
    const double most = std::ceil(share_ / digit) * digit;
    return Facts()
        .set("share",
             share_ > 1 ? format_fixed(most, 1) + "× the mean" : format_rough_percent(most) + " %")
        .set("size", size_);
  }

 private:
  double share_ = 0;
  std::string size_;
};

Facts duration_facts(const std::vector<SizeRow>& all) {
  const auto forward = with_phase(all, &PhaseTimes::forward);
  const auto both = with_phase(forward, &PhaseTimes::backward);
  const auto& rows = both.empty() ? forward : both;
  Spread passes, optimizer;
  for (const SizeRow& row : rows) {
    for (const auto& samples :
         {row.times.forward, row.times.backward, whole_step_times(*row.group, Mode::kForward),
          whole_step_times(*row.group, Mode::kInference)})
      passes.add(row, samples);
    optimizer.add(row, row.times.optimizer);
  }
  Facts facts;
  facts.flag("nothing", rows.empty()).set("whose", both.empty() ? "Its" : "Their");
  facts.when("timed", !rows.empty(), rows.empty() ? Facts() : timed_facts(rows));
  return facts.when("passes", passes.facts()).when("optimizer", optimizer.facts());
}

}  // namespace

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups) {
  const std::vector<SizeRow> rows = size_rows(view, groups);
  PartContent part;
  part.facts = duration_facts(rows);
  part.facts.flag("gpu", view.on_gpu());
  part.datasets = step_datasets(view, groups);
  part.datasets.push_back(make_dataset("sizes", kSizes, rows));
  part.datasets.push_back(samples(rows));
  part.datasets.push_back(make_dataset("tokens", kTokens, tokens_rows(groups)));
  part.details.tables = {bounds_table(view, groups, Mode::kForwardBackward)};
  part.details.warnings = step_warnings(groups);
  return part;
}

}  // namespace labreport::benchmarking_script
