// Part (b): a network's training step, eager beside compiled.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "base/lists.h"
#include "base/text.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/torch_compile/network.h"
#include "experiments/torch_compile/present.h"
#include "results/metric_names.h"

namespace labreport::torch_compile {
namespace {

constexpr Notation kSpeedup{Notation::kFixed, 2};
constexpr Notation kMs{Notation::kSignificant, 4};
// The optimizer explains why a step gains less than its forward pass if the step's speedup is below
// this fraction of the forward pass's, and the optimizer is at least this fraction of the step.
constexpr double kExplainedBelow = 0.9, kMinOptimizerFraction = 0.1;
constexpr double kAlikeWithin = 0.1;  // Times that differ by a smaller fraction count as alike.

std::vector<double> times_ms(const MeasuredSteps& steps, std::string_view phase) {
  return phase == metric::kTotal ? steps.steps_ms() : steps.phase_ms(phase);
}

/// Divides the median eager time by the median compiled time: one stalled step would move a mean.
std::optional<double> speedup(const ComparedNetwork& network, std::string_view phase) {
  const std::vector<double> eager_ms = times_ms(network.eager, phase);
  const std::vector<double> compiled_ms = times_ms(network.compiled, phase);
  if (eager_ms.empty() || compiled_ms.empty() || median(compiled_ms) <= 0) return std::nullopt;
  return median(eager_ms) / median(compiled_ms);
}

using Networks = std::vector<ComparedNetwork>;
using NetworkColumn = Column<ComparedNetwork>;
using ModeOfNetwork = MeasuredSteps ComparedNetwork::*;

constexpr ModeOfNetwork kEager = &ComparedNetwork::eager, kCompiled = &ComparedNetwork::compiled;

NetworkColumn time_column(const char* name, const char* title, ModeOfNetwork mode,
                          std::string_view phase) {
  return {name, title,
          [mode, phase](const ComparedNetwork& network) {
            const std::vector<double> ms = times_ms(network.*mode, phase);
            return ms.empty() ? Value::missing((network.*mode).reason()) : Value(median(ms));
          },
          "ms", kMs};
}

NetworkColumn speedup_column(const char* name, const char* title, std::string_view phase) {
  return {name, title,
          [phase](const ComparedNetwork& network) { return Value(speedup(network, phase)); }, "×",
          kSpeedup};
}

NetworkColumn metric_column(const char* name, const char* title, ModeOfNetwork mode,
                            std::optional<double> (MeasuredSteps::*value)() const, const char* unit,
                            Notation notation) {
  return {name, title,
          [mode, value](const ComparedNetwork& network) {
            const auto number = (network.*mode.*value)();
            const bool known = number || (network.*mode).ran();
            return known ? Value(number) : Value::missing((network.*mode).reason());
          },
          unit, notation};
}

const std::vector<NetworkColumn> kNetworks{
    {"size", "Size", [](const ComparedNetwork& network) { return network.spec().size; }},
    {"precision", "Precision", &ComparedNetwork::precision},
    time_column("forward_eager", "Forward, eager", kEager, metric::kForward),
    time_column("forward_compiled", "Forward, compiled", kCompiled, metric::kForward),
    speedup_column("forward_speedup", "Forward speedup", metric::kForward),
    time_column("backward_eager", "Backward, eager", kEager, metric::kBackward),
    time_column("backward_compiled", "Backward, compiled", kCompiled, metric::kBackward),
    time_column("optimizer_eager", "Optimizer, eager", kEager, metric::kOptimizer),
    time_column("optimizer_compiled", "Optimizer, compiled", kCompiled, metric::kOptimizer),
    time_column("step_eager", "Step, eager", kEager, metric::kTotal),
    time_column("step_compiled", "Step, compiled", kCompiled, metric::kTotal),
    speedup_column("step_speedup", "Step speedup", metric::kTotal),
    metric_column("compile", "Compile time", kCompiled, &MeasuredSteps::compile_seconds, "s",
                  kThreeDigits),
    metric_column("peak_eager", "Peak, eager", kEager, &MeasuredSteps::peak_bytes, "GiB",
                  {Notation::kGibibytes}),
    metric_column("peak_compiled", "Peak, compiled", kCompiled, &MeasuredSteps::peak_bytes, "GiB",
                  {Notation::kGibibytes}),
    metric_column("kernels_eager", "Kernels, eager", kEager, &MeasuredSteps::kernel_count, "",
                  kAsCount),
    metric_column("kernels_compiled", "Kernels, compiled", kCompiled, &MeasuredSteps::kernel_count,
                  "", kAsCount),
    metric_column("busy_eager", "Kernels busy, eager", kEager, &MeasuredSteps::busy_fraction, "%",
                  {Notation::kPercent}),
    metric_column("busy_compiled", "Kernels busy, compiled", kCompiled,
                  &MeasuredSteps::busy_fraction, "%", {Notation::kPercent})};

struct SpeedupRow {
  std::string label;  ///< "small, BF16, training step"
  double eager_ms, compiled_ms, speedup;
};

const std::vector<Column<SpeedupRow>> kSpeedups{
    {"row", "Pass", &SpeedupRow::label},
    {"eager", "Eager", &SpeedupRow::eager_ms, "ms", kMs},
    {"compiled", "Compiled", &SpeedupRow::compiled_ms, "ms", kMs},
    {"speedup", "Speedup", &SpeedupRow::speedup, "×", kSpeedup}};

std::vector<SpeedupRow> speedup_rows(const Networks& networks) {
  std::vector<SpeedupRow> rows;
  for (const auto& [phase, words] :
       {std::pair(metric::kForward, "forward"), std::pair(metric::kTotal, "training step")}) {
    for (const ComparedNetwork& network : networks) {
      const auto ratio = speedup(network, phase);
      if (!ratio) continue;
      rows.push_back({network.spec().size + ", " + network.precision() + ", " + words,
                      median(times_ms(network.eager, phase)),
                      median(times_ms(network.compiled, phase)), *ratio});
    }
  }
  return rows;
}

struct ClassRow {
  std::string kernel_class;
  KernelSum eager, compiled;
};

const std::vector<Column<ClassRow>> kClasses{
    {"class", "Kernels", &ClassRow::kernel_class},
    {"eager_calls", "Calls, eager", [](const ClassRow& row) { return Value(row.eager.calls); }, "",
     kAsCount},
    {"compiled_calls", "Calls, compiled",
     [](const ClassRow& row) { return Value(row.compiled.calls); }, "", kAsCount},
    {"eager_ms", "Time, eager", [](const ClassRow& row) { return Value(row.eager.ms); }, "ms", kMs},
    {"compiled_ms", "Time, compiled", [](const ClassRow& row) { return Value(row.compiled.ms); },
     "ms", kMs}};

/// Returns a row for each class, sorted by time in eager mode, longest first.
std::vector<ClassRow> class_rows(const ComparedNetwork& network) {
  std::map<std::string, ClassRow> rows;
  for (const auto& [name, sum] : network.eager.kernels_by_class()) rows[name].eager = sum;
  for (const auto& [name, sum] : network.compiled.kernels_by_class()) rows[name].compiled = sum;
  std::vector<ClassRow> sorted;
  for (const auto& [name, row] : rows) sorted.push_back({name, row.eager, row.compiled});
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const ClassRow& row) { return row.eager.ms; });
  return sorted;
}

KernelSum sum_of(const std::vector<ClassRow>& rows, KernelSum ClassRow::* mode,
                 const std::set<std::string>& left_out) {
  KernelSum sum;
  for (const ClassRow& row : rows) {
    if (left_out.contains(row.kernel_class)) continue;
    sum.calls += (row.*mode).calls;
    sum.ms += (row.*mode).ms;
  }
  return sum;
}

/// Compares the kernels, except GEMMs and memsets, before and after compiling. Returns nothing
/// unless their times explain more than half of the time that a step saves.
std::optional<Facts> fusion_facts(const ComparedNetwork& network) {
  const std::vector<ClassRow> rows = class_rows(network);
  const KernelSum eager = sum_of(rows, &ClassRow::eager, {"GEMM", "memset"});
  const KernelSum compiled = sum_of(rows, &ClassRow::compiled, {"GEMM", "memset"});
  const double saved_ms = median(network.eager.steps_ms()) - median(network.compiled.steps_ms());
  const bool explains = saved_ms > 0 && eager.ms - compiled.ms > saved_ms / 2;
  if (compiled.calls <= 0 || eager.calls <= compiled.calls || !explains) return std::nullopt;
  return Facts()
      .set("calls", eager.calls, kAsCount)
      .set("compiled_calls", compiled.calls, kAsCount)
      .set("ms", eager.ms, kThreeDigits)
      .set("compiled_ms", compiled.ms, kThreeDigits);
}

/// Returns the optimizer's fraction of the compiled step's time; nothing unless the optimizer,
/// alike in both modes, explains why the step's speedup is below that of the forward pass.
std::optional<double> optimizer_fraction(const ComparedNetwork& network) {
  const auto eager_ms = network.eager.phase_ms(metric::kOptimizer);
  const auto compiled_ms = network.compiled.phase_ms(metric::kOptimizer);
  const auto step = speedup(network, metric::kTotal), forward = speedup(network, metric::kForward);
  if (eager_ms.empty() || compiled_ms.empty() || *step > kExplainedBelow * *forward)
    return std::nullopt;
  const double fraction = median(compiled_ms) / median(network.compiled.steps_ms());
  const bool alike = std::abs(median(eager_ms) / median(compiled_ms) - 1) < kAlikeWithin;
  return alike && fraction > kMinOptimizerFraction ? std::optional(fraction) : std::nullopt;
}

/// Returns the number of steps that save the time that compiling took; nothing if they save none.
std::optional<double> payback_steps(const ComparedNetwork& network) {
  const double seconds = network.compiled.compile_seconds().value_or(0);
  const double saved_ms = median(network.eager.steps_ms()) - median(network.compiled.steps_ms());
  if (seconds <= 0 || saved_ms <= 0) return std::nullopt;
  return 1e3 * seconds / saved_ms;
}

/// The network's step and forward pass must have run, eager and compiled.
Facts network_facts(const ComparedNetwork& network) {
  const auto fraction = optimizer_fraction(network);
  return Facts()
      .set("size", network.spec().size)
      .set("precision", network.precision())
      .set("step", *speedup(network, metric::kTotal), kSpeedup)
      .set("forward", *speedup(network, metric::kForward), kSpeedup)
      .when("fusion", fusion_facts(network))
      .when("optimizer", fraction.has_value(), "share", format_percent(fraction.value_or(0)));
}

std::vector<Networks> by_precision(const Networks& networks) {
  std::vector<Networks> groups;
  for (const ComparedNetwork& network : networks) {
    if (groups.empty() || groups.back().front().precision() != network.precision()) {
      groups.emplace_back();
    }
    groups.back().push_back(network);
  }
  return groups;
}

std::string first_reason(const Networks& networks) {
  for (const ComparedNetwork& network : networks) {
    for (const MeasuredSteps* steps : {&network.eager, &network.compiled}) {
      if (!steps->ran()) return steps->reason();
    }
  }
  return "not measured yet";
}

/// Lists the networks with a step far longer than the others, which medians ignore.
std::vector<Facts> outlier_facts(const Networks& networks) {
  std::vector<Facts> outliers;
  for (const ComparedNetwork& network : networks) {
    for (const auto& [mode, mode_words] :
         {std::pair(&network.eager, "eager"), std::pair(&network.compiled, "compiled")}) {
      const std::vector<double> steps_ms = mode->steps_ms();
      if (!has_outlier(steps_ms)) continue;
      Facts& facts = outliers.emplace_back();
      facts.set("size", network.spec().size).set("precision", network.precision());
      facts.set("mode", mode_words).set("longest", std::ranges::max(steps_ms), kMs);
      facts.set("median", median(steps_ms), kMs);
    }
  }
  return outliers;
}

/// Describes the largest network in its last precision, and lists its other precisions.
void add_answer(Facts& facts, const Networks& networks) {
  const Networks timed = only(networks, [](const ComparedNetwork& network) {
    return speedup(network, metric::kTotal) && speedup(network, metric::kForward);
  });
  facts.flag("nothing", timed.empty()).set("reason", first_reason(networks));
  std::vector<Facts> others;
  for (const ComparedNetwork& network : timed) {
    const bool same_model = network.spec().model == timed.back().spec().model;
    if (same_model && network.precision() != timed.back().precision())
      others.push_back(network_facts(network));
  }
  facts.list("others", std::move(others));
  facts.when("largest", !timed.empty(), timed.empty() ? Facts() : network_facts(timed.back()));
  const auto steps = timed.empty() ? std::nullopt : payback_steps(timed.back());
  facts.when("payback", steps.has_value(), "steps", format_count(std::llround(steps.value_or(0))));
  facts.list("outliers", outlier_facts(networks));
}

}  // namespace

std::optional<PartContent> present_network(const RunView& view) {
  const Networks networks = compared_networks(view);
  if (networks.empty()) return std::nullopt;
  PartContent part;
  add_answer(part.facts, networks);
  part.facts.flag("gpu", view.on_gpu());
  part.facts.flag("warm_cache", shares_compile_cache(view.run()));
  const CellSpec& spec = networks.front().spec();
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  for (const ComparedNetwork& network : networks) {
    for (const Cell* cell : {network.eager.cell(), network.compiled.cell()}) {
      if (cell != nullptr) part.cells.push_back(cell);
    }
  }
  part.datasets = {make_dataset("networks", kNetworks, networks),
                   make_dataset("costs", kNetworks, networks),
                   make_dataset("phases", kNetworks, networks),
                   make_dataset("speedups", kSpeedups, speedup_rows(networks))};
  for (const Networks& group : by_precision(only(networks, &ComparedNetwork::both_ran))) {
    Dataset classes = make_dataset("kernels", kClasses, class_rows(group.back()));
    classes.variant = group.back().spec().size + ", " + group.back().precision();
    part.datasets.push_back(std::move(classes));
  }
  part.details.tables = {command_table(
      view.run(), kProblem + std::string(".b"),
      each(networks, [](const ComparedNetwork& network) { return network.eager.cell(); }))};
  return part;
}

}  // namespace labreport::torch_compile
