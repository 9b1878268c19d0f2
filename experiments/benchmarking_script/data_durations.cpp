// Part (b): how long the phases of a step take, how much they vary, and why backward is not twice
// forward.
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/benchmarking_script/parts.h"
#include "experiments/benchmarking_script/steps.h"
#include "experiments/common/bounds_table.h"
#include "experiments/common/change.h"
#include "experiments/common/ratio.h"
#include "plan/arithmetic.h"
#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::benchmarking_script {
namespace {

constexpr double kNoticeableRatio = 0.05;
constexpr double kTera = 1e12;
constexpr Notation kRate{Notation::kSignificant, 3};

/// The GEMMs of a pass, from the profile of a process's first step.
struct Gemms {
  double ms = 0;
  double rate = 0;  ///< TFLOP/s
};

std::optional<Gemms> gemms_of(const RunView& view, const CellSpec& network, std::string_view phase,
                              double forwards) {
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
  const auto rate = quotient(forwards * *flops / kTera, ns / 1e9);
  if (!rate) return std::nullopt;
  return Gemms{ns / kNanosecondsPerMillisecond, *rate};
}

/// A network with all its modes.
struct SizeRow {
  const TimingGroup* group;
  std::string size;
  Phases times;
  std::optional<Gemms> forward, backward;
  std::string reason;  ///< Why something of it is missing; may be empty.
  std::vector<std::string> flags;

  std::optional<Ratio> ratio() const { return ratio_of(times.backward, times.forward); }
  /// From 2, the ratio of the FLOPs.
  double off() const { return ratio().value_or(Ratio{2, 0}).value - 2; }
  double distance() const { return std::abs(off()); }
};

std::vector<std::string> all_disturbances(const TimingGroup& group) {
  std::vector<std::string> flags;
  for (const auto& [mode, cell] : group.cells) {
    if (const auto found = timed(group, mode))
      std::ranges::move(disturbances(*found), std::back_inserter(flags));
  }
  return distinct(flags);
}

std::vector<SizeRow> size_rows(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<SizeRow> rows;
  for (const TimingGroup& group : groups) {
    CellSpec forward = group.spec;
    forward.mode = Mode::kForward;
    rows.push_back({&group, group.label, phases(group),
                    gemms_of(view, forward, metric::kForward, 1),
                    gemms_of(view, forward, metric::kBackward, 2), reasons_missing(group),
                    all_disturbances(group)});
  }
  return rows;
}

using Samples = std::vector<double> Phases::*;

constexpr std::pair<const char*, Samples> kPhases[]{{"forward", &Phases::forward},
                                                    {"backward", &Phases::backward},
                                                    {"optimizer", &Phases::optimizer}};

Value mean_of(const SizeRow& row, const std::vector<double>& samples) {
  return samples.empty() ? Value::missing(row.reason) : Value::mean_of(samples);
}

Column<SizeRow> phase(const char* name, const char* title, Samples samples) {
  return {name, title, [=](const SizeRow& row) { return mean_of(row, row.times.*samples); }, "ms"};
}

Column<SizeRow> whole(const char* name, const char* title, Mode mode) {
  return {name, title,
          [mode](const SizeRow& row) { return mean_of(row, whole_step(*row.group, mode)); }, "ms"};
}

Column<SizeRow> gemm_rate(const char* name, const char* title,
                          std::optional<Gemms> SizeRow::* gemms) {
  const auto value = [=](const SizeRow& row) {
    return row.*gemms ? Value((row.*gemms)->rate) : Value();
  };
  return {name, title, value, "TFLOP/s", kRate};
}

const std::vector<Column<SizeRow>> kSizes{
    {"size", "Size", &SizeRow::size},
    phase("forward", "Forward", &Phases::forward),
    phase("backward", "Backward", &Phases::backward),
    phase("optimizer", "Optimizer", &Phases::optimizer),
    {"ratio",
     "Backward ÷ forward",
     [](const SizeRow& row) { return row.ratio() ? Value(row.ratio()->value) : Value(); },
     "×",
     {Notation::kFixed, 2}},
    gemm_rate("forward_rate", "Forward GEMMs", &SizeRow::forward),
    gemm_rate("backward_rate", "Backward GEMMs", &SizeRow::backward),
    whole("inference_step", "Inference", Mode::kInference),
    whole("forward_step", "Forward", Mode::kForward),
    whole("forward_backward_step", "Forward+backward", Mode::kForwardBackward),
    whole("train_step", "Training step", Mode::kTrainStep)};

/// One time of a phase.
struct Sample {
  std::string size, name;
  double ms;
};

const std::vector<Column<Sample>> kSamples{{"size", "Size", &Sample::size},
                                           {"name", "Name", &Sample::name},
                                           {"ms", "Time", &Sample::ms, "ms"}};

Dataset samples(const std::vector<SizeRow>& rows) {
  std::vector<Sample> all;
  for (const SizeRow& row : rows) {
    for (const auto& [name, member] : kPhases) {
      for (const double ms : row.times.*member) all.push_back({row.size, name, ms});
    }
  }
  return make_dataset("samples", kSamples, all);
}

/// Of the smallest and the largest of these networks: "19.00 to 328.5", and "small to 2.7B".
Facts ends(const std::vector<SizeRow>& rows) {
  const auto in_prose = [](const std::vector<double>& samples) {
    if (samples.empty()) return std::string();
    const Summary summary = summarize(samples);
    return certain_digits(summary.mean, summary.stddev);
  };
  Facts facts;
  if (rows.empty()) return facts;
  facts.set("sizes", from_to(rows.front().size, rows.back().size));
  for (const auto& [name, member] : kPhases) {
    facts.set(name,
              from_to(in_prose(rows.front().times.*member), in_prose(rows.back().times.*member)));
  }
  return facts;
}

std::vector<SizeRow> having(const std::vector<SizeRow>& rows, Samples phase) {
  return only(rows, [phase](const SizeRow& row) { return !(row.times.*phase).empty(); });
}

std::string ratio_words(const SizeRow& row) {
  return certain_ratio(row.ratio()->value, row.ratio()->deviation);
}

/// "1.93 to 2.11"
std::string ratio_range(const std::vector<SizeRow>& rows) {
  const auto known = only(rows, &SizeRow::ratio);
  const auto [low, high] = std::ranges::minmax_element(known, {}, &SizeRow::off);
  return known.empty() ? "" : from_to(ratio_words(*low), ratio_words(*high));
}

/// Whether GEMMs that are slower or faster backward make at least half of what the ratio differs
/// by.
bool gemms_explain(const SizeRow& row) {
  if (!row.forward || !row.backward) return false;
  const double of_gemms = row.backward->ms - 2 * row.forward->ms;
  return of_gemms / mean(row.times.forward) / row.off() >= 0.5;
}

/// Why the ratio farthest from that of the FLOPs is so, where the GEMMs tell.
std::optional<Facts> ratio_of_gemms(const std::vector<SizeRow>& rows) {
  const SizeRow* row = largest(rows, &SizeRow::distance);
  if (row == nullptr || !row->ratio() || !gemms_explain(*row)) return std::nullopt;
  if (row->distance() <= std::max(kNoticeableRatio, row->ratio()->deviation)) return std::nullopt;
  return Facts()
      .set("size", row->size)
      .set("ratio", ratio_words(*row))
      .set("forward_rate", row->forward->rate, kRate)
      .set("backward_rate", row->backward->rate, kRate);
}

/// A deviation as a share of its mean, and whose.
using Spread = std::pair<double, std::string>;

void add_spread(std::vector<Spread>& spreads, const std::string& where,
                const std::vector<double>& samples) {
  if (const auto share = variation_of(samples)) spreads.emplace_back(*share, where);
}

Facts spread_facts(const Spread& spread) {
  return Facts().set("share", variation_words(spread.first)).set("where", spread.second);
}

/// Of the passes and, inside, of the optimizer.
std::optional<Facts> spreads(const std::vector<SizeRow>& rows) {
  std::vector<Spread> passes, optimizers;
  for (const SizeRow& row : rows) {
    add_spread(passes, row.size + ", forward", row.times.forward);
    add_spread(passes, row.size + ", backward", row.times.backward);
    add_spread(passes, row.size + ", forward alone", whole_step(*row.group, Mode::kForward));
    add_spread(optimizers, row.size, row.times.optimizer);
  }
  const Spread *most = largest(passes, &Spread::first), *step = largest(optimizers, &Spread::first);
  if (most == nullptr) return std::nullopt;
  Facts facts = spread_facts(*most).flag("steady", most->first <= kSteadyBelow);
  return facts.when("optimizer", step ? std::optional(spread_facts(*step)) : std::nullopt);
}

/// How many times its median the longest step of a mode is, where that is an outlier; else 1.
double farthest_step(const SizeRow& row) {
  double most = 1;
  for (const auto& [mode, cell] : row.group->cells) {
    const auto found = timed(*row.group, mode);
    if (!found || std::ranges::count(disturbances(*found), "outlier") == 0) continue;
    const Summary steps = summarize(found->counted(metric::kStep, metric::kTotal));
    most = std::max(most, steps.max / steps.median);
  }
  return most;
}

std::optional<Facts> outliers(const std::vector<SizeRow>& rows) {
  const auto found = only(rows, [](const SizeRow& row) { return farthest_step(row) > 1; });
  if (found.empty()) return std::nullopt;
  return Facts()
      .set("sizes", join_words(each(found, &SizeRow::size)))
      .set("most", farthest_step(*largest(found, farthest_step)), {Notation::kFixed, 2});
}

Facts make_facts(const std::vector<SizeRow>& all) {
  const auto forward = having(all, &Phases::forward);
  const auto both = having(forward, &Phases::backward);
  const auto& rows = both.empty() ? forward : both;
  const auto updated = having(rows, &Phases::optimizer);
  Facts facts;
  facts.flag("nothing", rows.empty());
  facts.when("timed", !rows.empty(),
             ends(rows)
                 .when("backward", !both.empty(), ends(both).set("ratio", ratio_range(both)))
                 .when("optimizer", !updated.empty(), ends(updated)));
  facts.when("optimizer", !updated.empty(), ends(updated));
  facts.when("ratio_of_gemms", ratio_of_gemms(both));
  return facts.when("spread", spreads(rows)).when("outliers", outliers(all));
}

}  // namespace

PartContent present_durations(const RunView& view, const std::vector<TimingGroup>& groups) {
  const std::vector<SizeRow> rows = size_rows(view, groups);
  PartContent part;
  part.facts = make_facts(rows);
  part.facts.flag("gpu", view.on_gpu());
  part.datasets = step_datasets(view, groups);
  part.datasets.push_back(make_dataset("sizes", kSizes, rows));
  part.datasets.push_back(samples(rows));
  part.details.tables = {bounds_table(view, groups, Mode::kForwardBackward)};
  part.details.warnings = step_warnings(groups);
  return part;
}

}  // namespace labreport::benchmarking_script
