// Part (b): how long the phases of a step take, how much they vary, and why backward is not twice
// forward.
#include <algorithm>
#include <cmath>

#include "base/format.h"
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

constexpr double kNoticeableSpread = 0.01;
constexpr double kNoticeableRatio = 0.05;  // From 2, the ratio of the FLOPs.
constexpr double kTera = 1e12;
constexpr std::int64_t kAskedWarmup = 5;  // By the question.
constexpr std::int64_t kAskedSteps = 10;
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
    ns += row.number(column::kTotalNs).value_or(0);
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
};

std::vector<std::string> all_disturbances(const TimingGroup& group) {
  std::vector<std::string> flags;
  for (const auto& [mode, cell] : group.cells) {
    const auto found = timed(group, mode);
    for (const std::string& word : found ? disturbances(*found) : std::vector<std::string>()) {
      if (std::ranges::find(flags, word) == flags.end()) flags.push_back(word);
    }
  }
  return flags;
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

std::string first_to_last(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
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
  facts.set("sizes", first_to_last(rows.front().size, rows.back().size));
  for (const auto& [name, member] : kPhases) {
    facts.set(name, first_to_last(in_prose(rows.front().times.*member),
                                  in_prose(rows.back().times.*member)));
  }
  return facts;
}

std::vector<SizeRow> having(std::vector<SizeRow> rows, Samples phase) {
  std::erase_if(rows, [phase](const SizeRow& row) { return (row.times.*phase).empty(); });
  return rows;
}

/// "1.93 to 2.11"
std::string ratio_range(const std::vector<SizeRow>& rows) {
  const auto value = [](const SizeRow& row) { return row.ratio().value_or(Ratio{}).value; };
  const auto [low, high] = std::ranges::minmax_element(rows, {}, value);
  if (low == rows.end() || !low->ratio() || !high->ratio()) return "";
  return first_to_last(certain_ratio(low->ratio()->value, low->ratio()->deviation),
                       certain_ratio(high->ratio()->value, high->ratio()->deviation));
}

/// Whether GEMMs that are slower or faster backward make at least half of what the ratio differs
/// by.
bool gemms_explain(const SizeRow& row, double difference) {
  if (!row.forward || !row.backward) return false;
  const double of_gemms = row.backward->ms - 2 * row.forward->ms;
  return of_gemms / mean(row.times.forward) / difference >= 0.5;
}

/// Why the ratio farthest from that of the FLOPs is so, where the GEMMs tell.
void set_ratios(Facts& facts, const std::vector<SizeRow>& rows) {
  const auto off = [](const SizeRow& row) { return row.ratio().value_or(Ratio{2, 0}).value - 2; };
  const auto farthest =
      std::ranges::max_element(rows, {}, [&](const SizeRow& row) { return std::abs(off(row)); });
  std::optional<Facts> explained;
  if (farthest != rows.end() && farthest->ratio()) {
    const Ratio ratio = *farthest->ratio();
    const bool noticeable = std::abs(off(*farthest)) > std::max(kNoticeableRatio, ratio.deviation);
    if (noticeable && gemms_explain(*farthest, off(*farthest))) {
      explained.emplace();
      explained->set("size", farthest->size);
      explained->set("ratio", certain_ratio(ratio.value, ratio.deviation));
      explained->set("forward_rate", farthest->forward->rate, kRate);
      explained->set("backward_rate", farthest->backward->rate, kRate);
    }
  }
  facts.when("ratio_of_gemms", explained);
}

/// The largest deviation as a share of its mean, and whose.
struct Spread {
  double share = -1;
  std::string where;

  void widen(const std::string& candidate, const std::vector<double>& samples) {
    const double other = variation_of(samples).value_or(-1);
    if (other > share) *this = {other, candidate};
  }
  Facts facts() const {
    Facts facts;
    facts.set("share", variation_words(std::max(share, 0.0)));
    facts.set("where", where);
    return facts;
  }
};

/// How much the same phase varies by the GPU's own clock; nothing where it has none.
std::optional<double> spread_by_events(const SizeRow& row) {
  const auto step = timed(*row.group, Mode::kTrainStep);
  if (!step || step->spec->device == DeviceKind::kCpu) return std::nullopt;
  return variation_of(step->counted(metric::kEvent, metric::kOptimizer));
}

/// Of the passes and, inside, of the optimizer: its launches from the CPU vary where it varies by
/// the CPU's clock alone.
std::optional<Facts> spreads(const std::vector<SizeRow>& rows) {
  Spread passes, optimizer;
  std::optional<double> events;  // Of the optimizer that varies most.
  for (const SizeRow& row : rows) {
    passes.widen(row.size + ", forward", row.times.forward);
    passes.widen(row.size + ", backward", row.times.backward);
    passes.widen(row.size + ", forward alone", whole_step(*row.group, Mode::kForward));
    optimizer.widen(row.size, row.times.optimizer);
    if (optimizer.where == row.size) events = spread_by_events(row);
  }
  if (passes.share < 0) return std::nullopt;
  const double steadiest = std::max(passes.share, kNoticeableSpread);
  const bool by_cpu = events && optimizer.share > steadiest && 2 * *events < optimizer.share;
  Facts facts = passes.facts(), inside = optimizer.facts();
  inside.when("by_cpu", by_cpu, "events", variation_words(events.value_or(0)));
  facts.flag("steady", passes.share <= kSteadyBelow);
  facts.when("optimizer", optimizer.share < 0 ? std::nullopt : std::optional(inside));
  return facts;
}

/// What was counted, where it is other than what the question asks for.
void set_steps(Facts& facts, const std::vector<SizeRow>& rows) {
  std::optional<Facts> other;
  const auto step = rows.empty() ? std::nullopt : fullest(*rows.front().group);
  if (step && (step->spec->warmup != kAskedWarmup || step->spec->steps != kAskedSteps)) {
    other.emplace();
    other->set("warmup", format_plural(step->spec->warmup.value_or(0), "warm-up step"));
    other->set("steps", format_plural(step->spec->steps.value_or(0), "timed step"));
  }
  facts.when("other_steps", other);
}

Facts make_facts(const std::vector<SizeRow>& all) {
  const std::vector<SizeRow> forward = having(all, &Phases::forward);
  const std::vector<SizeRow> both = having(forward, &Phases::backward);
  const std::vector<SizeRow>& rows = both.empty() ? forward : both;
  const std::vector<SizeRow> updated = having(rows, &Phases::optimizer);
  Facts facts, passes = ends(rows);
  const std::optional<Facts> optimizer =
      updated.empty() ? std::nullopt : std::optional(ends(updated));
  passes.set("ratio", ratio_range(both));
  passes.when("optimizer", optimizer);
  choose(facts, {"nothing", "forward_only", "both"},
         rows.empty()   ? "nothing"
         : both.empty() ? "forward_only"
                        : "both",
         passes);
  facts.when("optimizer", optimizer);
  facts.when("spread", spreads(rows));
  set_ratios(facts, both);
  set_steps(facts, rows);
  return facts;
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
