// Part (b): a network's training step, eager beside compiled.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/lists.h"
#include "base/outliers.h"
#include "base/text.h"
#include "experiments/common/change.h"
#include "experiments/common/command.h"
#include "experiments/common/timing.h"
#include "experiments/torch_compile/network.h"
#include "experiments/torch_compile/present.h"
#include "results/metric_names.h"

namespace labreport::torch_compile {
namespace {

constexpr Notation kSpeedup{Notation::kFixed, 2};
constexpr Notation kMs{Notation::kSignificant, 4};
constexpr const char* kGemm = "GEMM";  // The class of all GEMMs in `kernels_by_class()`.

std::optional<Ratio> speedup(const ComparedNetwork& network, std::string_view phase) {
  return ratio_of(network.eager.times_ms(phase), network.compiled.times_ms(phase));
}

using Networks = std::vector<ComparedNetwork>;
using NetworkColumn = Column<ComparedNetwork>;
using ModeOfNetwork = MeasuredSteps ComparedNetwork::*;

constexpr ModeOfNetwork kEager = &ComparedNetwork::eager, kCompiled = &ComparedNetwork::compiled;

NetworkColumn time_column(const char* name, const char* title, ModeOfNetwork mode,
                          std::string_view phase) {
  return {name, title,
          [mode, phase](const ComparedNetwork& network) {
            const std::vector<double> ms = (network.*mode).times_ms(phase);
            return ms.empty() ? Value::missing((network.*mode).reason()) : Value::mean_of(ms);
          },
          "ms"};
}

NetworkColumn speedup_column(const char* name, const char* title, std::string_view phase) {
  return {name, title,
          [phase](const ComparedNetwork& network) {
            const auto ratio = speedup(network, phase);
            return ratio ? Value(ratio->value) : Value();
          },
          "×", kSpeedup};
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
    metric_column("forward_kernels_eager", "Kernels in forward, eager", kEager,
                  &MeasuredSteps::forward_kernel_count, "", kAsCount),
    metric_column("forward_kernels_compiled", "Kernels in forward, compiled", kCompiled,
                  &MeasuredSteps::forward_kernel_count, "", kAsCount),
    metric_column("busy_eager", "Kernels busy in forward, eager", kEager,
                  &MeasuredSteps::forward_kernel_share, "%", {Notation::kPercent}),
    metric_column("busy_compiled", "Kernels busy in forward, compiled", kCompiled,
                  &MeasuredSteps::forward_kernel_share, "%", {Notation::kPercent})};

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
                      typical_time(network.eager.times_ms(phase)),
                      typical_time(network.compiled.times_ms(phase)), ratio->value});
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

/// Adds up all kernels but GEMMs.
KernelSum rest_of(const MeasuredSteps& steps) {
  KernelSum rest;
  for (const auto& [name, sum] : steps.kernels_by_class()) {
    if (name == kGemm) continue;
    rest.calls += sum.calls;
    rest.ms += sum.ms;
  }
  return rest;
}

/// Returns a row for each class, sorted by time in eager mode, longest first, and one for the sum
/// of all but GEMMs.
std::vector<ClassRow> class_rows(const ComparedNetwork& network) {
  std::map<std::string, ClassRow> rows;
  for (const auto& [name, sum] : network.eager.kernels_by_class()) rows[name].eager = sum;
  for (const auto& [name, sum] : network.compiled.kernels_by_class()) rows[name].compiled = sum;
  std::vector<ClassRow> sorted;
  for (const auto& [name, row] : rows) sorted.push_back({name, row.eager, row.compiled});
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const ClassRow& row) { return row.eager.ms; });
  sorted.push_back({"all but GEMMs", rest_of(network.eager), rest_of(network.compiled)});
  return sorted;
}

double gemms_ms(const MeasuredSteps& steps) { return steps.kernels_by_class()[kGemm].ms; }

/// Compares the time of the network's kernels, except GEMMs, before and after compiling. Returns
/// nothing unless the step is clearly shorter, GEMMs take as long both ways and fusion explains
/// more than half of the time that the step saves.
std::optional<Facts> fusion_facts(const ComparedNetwork& network) {
  constexpr double kEqualTimes = 0.05;  // GEMMs take as long up to this fraction.
  const double eager_ms = rest_of(network.eager).ms, compiled_ms = rest_of(network.compiled).ms;
  const double saved_ms = typical_time(network.eager.times_ms(metric::kTotal)) -
                          typical_time(network.compiled.times_ms(metric::kTotal));
  if (!speedup(network, metric::kTotal)->is_clear() || compiled_ms <= 0 || saved_ms <= 0 ||
      eager_ms - compiled_ms <= saved_ms / 2 ||
      std::abs(gemms_ms(network.compiled) / gemms_ms(network.eager) - 1) > kEqualTimes)
    return std::nullopt;
  return Facts()
      .set("size", network.spec().size)
      .set("precision", network.precision())
      .set("ms", eager_ms, kThreeDigits)
      .set("compiled_ms", compiled_ms, kThreeDigits);
}

/// Writes only the digits that the deviation leaves certain, or the deviation if none is.
std::string brief_ratio(const Ratio& ratio) {
  return ratio.is_clear() ? certain_ratio(ratio.value, ratio.deviation)
                          : stated_ratio(ratio, kSpeedup);
}

/// Describes the networks of one precision, from the smallest to the largest. All must have run,
/// eager and compiled, and launched GEMMs.
Facts precision_facts(const Networks& networks) {
  const ComparedNetwork &smallest = networks.front(), &largest = networks.back();
  const auto ends = [&](std::string_view phase) {
    return from_to(brief_ratio(*speedup(smallest, phase)), brief_ratio(*speedup(largest, phase)));
  };
  return Facts()
      .set("precision", largest.precision())
      .set("sizes", from_to(smallest.spec().size, largest.spec().size))
      .set("size", largest.spec().size)
      .set("gemms", format_percent(gemms_ms(largest.eager) /
                                   (gemms_ms(largest.eager) + rest_of(largest.eager).ms)))
      .set("step", ends(metric::kTotal))
      .set("forward", ends(metric::kForward));
}

/// Tells the speedups of one network, for the headline.
Facts network_facts(const ComparedNetwork& network) {
  return Facts()
      .set("size", network.spec().size)
      .set("precision", network.precision())
      .set("step", stated_ratio(*speedup(network, metric::kTotal), kSpeedup))
      .set("forward", stated_ratio(*speedup(network, metric::kForward), kSpeedup));
}

std::string first_reason(const Networks& networks) {
  for (const ComparedNetwork& network : networks) {
    for (const MeasuredSteps* steps : {&network.eager, &network.compiled}) {
      if (!steps->ran()) return steps->reason();
    }
  }
  return "not measured yet";
}

/// True if the forward pass is launch-bound both ways, and compiled has fewer launches.
bool has_fewer_launches(const ComparedNetwork& network) {
  const auto eager = network.eager.forward_costs(), compiled = network.compiled.forward_costs();
  return eager && compiled && eager->bound() == Bound::kLaunch &&
         compiled->bound() == Bound::kLaunch && compiled->launches < eager->launches;
}

/// True if compiling clearly changes the time of the network's step and of its forward pass.
bool is_clear(const ComparedNetwork& network) {
  return speedup(network, metric::kTotal)->is_clear() &&
         speedup(network, metric::kForward)->is_clear();
}

/// Describes the networks in each precision, and the largest gain of a launch-bound pass. A
/// headline needs clear speedups.
void add_answer(Facts& facts, const Networks& networks) {
  const Networks timed = only(networks, [](const ComparedNetwork& network) {
    return speedup(network, metric::kTotal) && speedup(network, metric::kForward) &&
           gemms_ms(network.eager) > 0;
  });
  std::vector<Facts> precisions;
  for (const std::string& precision : distinct(each(timed, &ComparedNetwork::precision))) {
    precisions.push_back(precision_facts(only(
        timed, [&](const ComparedNetwork& network) { return network.precision() == precision; })));
  }
  const Networks launch_bound = only(timed, [](const ComparedNetwork& network) {
    return has_fewer_launches(network) && speedup(network, metric::kForward)->is_clear() &&
           speedup(network, metric::kForward)->value > 1;
  });
  const ComparedNetwork* gains_most = labreport::largest(
      launch_bound,
      [](const ComparedNetwork& network) { return speedup(network, metric::kForward)->value; });
  facts.set("nothing",
            timed.empty() ? "No network ran both ways: " + first_reason(networks) + "." : "");
  facts.list("networks", std::move(precisions));
  facts.when("largest", !timed.empty() && is_clear(timed.back()),
             timed.empty() ? Facts() : network_facts(timed.back()));
  facts.when("fusion", timed.empty() ? std::nullopt : fusion_facts(timed.back()));
  facts.when("launches", gains_most == nullptr
                             ? std::nullopt
                             : std::optional(Facts()
                                                 .set("size", gains_most->spec().size)
                                                 .set("precision", gains_most->precision())));
}

}  // namespace

std::optional<PartContent> present_network(const RunView& view) {
  const Networks networks = compared_networks(view);
  if (networks.empty()) return std::nullopt;
  PartContent part;
  add_answer(part.facts, networks);
  const CellSpec& spec = networks.front().spec();
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  for (const ComparedNetwork& network : networks) {
    for (const Cell* cell : {network.eager.cell(), network.compiled.cell()}) {
      if (cell != nullptr) part.cells.push_back(cell);
    }
  }
  part.datasets = {make_dataset("networks", kNetworks, networks),
                   make_dataset("speedups", kSpeedups, speedup_rows(networks))};
  const Networks ran = only(networks, &ComparedNetwork::both_ran);
  for (std::size_t i = 0; i < ran.size(); ++i) {  // Only the last of each precision is shown.
    if (i + 1 < ran.size() && ran[i + 1].precision() == ran[i].precision()) continue;
    part.datasets.push_back(make_dataset("kernels", kClasses, class_rows(ran[i])));
    part.datasets.back().variant = ran[i].spec().size + ", " + ran[i].precision();
  }
  part.details.tables = {command_table(
      view.run(), kProblem + std::string(".b"),
      each(networks, [](const ComparedNetwork& network) { return network.eager.cell(); }))};
  return part;
}

}  // namespace labreport::torch_compile
