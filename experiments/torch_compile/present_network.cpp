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

constexpr Notation kTimes{Notation::kFixed, 2};
constexpr Notation kMs{Notation::kSignificant, 4};
constexpr double kLess = 0.9;        // Step's / forward's speedup; higher ones need no explanation.
constexpr double kNoticeable = 0.1;  // The optimizer explains a step only above this share of it.
constexpr double kSteady = 0.1;      // Phases whose times differ by a smaller share are alike.

std::vector<double> of(const Side& side, std::string_view phase) {
  return phase == metric::kTotal ? side.step() : side.phase(phase);
}

/// The median eager time / the median compiled time; a single stalled step would move a mean.
std::optional<double> speedup(const Network& network, std::string_view phase) {
  const std::vector<double> eager = of(network.eager, phase);
  const std::vector<double> compiled = of(network.compiled, phase);
  if (eager.empty() || compiled.empty() || median(compiled) <= 0) return std::nullopt;
  return median(eager) / median(compiled);
}

using NetworkColumn = Column<Network>;

NetworkColumn time_column(const char* name, const char* title, Side Network::* side,
                          std::string_view phase) {
  return {name, title,
          [side, phase](const Network& network) {
            const std::vector<double> ms = of(network.*side, phase);
            return ms.empty() ? Value::missing((network.*side).reason()) : Value(median(ms));
          },
          "ms", kMs};
}

NetworkColumn speedup_column(const char* name, const char* title, std::string_view phase) {
  return {name, title, [phase](const Network& network) { return Value(speedup(network, phase)); },
          "×", kTimes};
}

NetworkColumn side_column(const char* name, const char* title, Side Network::* side,
                          std::optional<double> (Side::*value)() const, const char* unit,
                          Notation notation) {
  return {name, title,
          [side, value](const Network& network) {
            const auto number = (network.*side.*value)();
            const bool known = number || (network.*side).ran();
            return known ? Value(number) : Value::missing((network.*side).reason());
          },
          unit, notation};
}

const std::vector<NetworkColumn> kNetworks{
    {"size", "Size", [](const Network& network) { return network.spec().size; }},
    {"precision", "Precision", [](const Network& network) { return network.precision(); }},
    time_column("forward_eager", "Forward, eager", &Network::eager, metric::kForward),
    time_column("forward_compiled", "Forward, compiled", &Network::compiled, metric::kForward),
    speedup_column("forward_speedup", "Forward speedup", metric::kForward),
    time_column("backward_eager", "Backward, eager", &Network::eager, metric::kBackward),
    time_column("backward_compiled", "Backward, compiled", &Network::compiled, metric::kBackward),
    time_column("optimizer_eager", "Optimizer, eager", &Network::eager, metric::kOptimizer),
    time_column("optimizer_compiled", "Optimizer, compiled", &Network::compiled,
                metric::kOptimizer),
    time_column("step_eager", "Step, eager", &Network::eager, metric::kTotal),
    time_column("step_compiled", "Step, compiled", &Network::compiled, metric::kTotal),
    speedup_column("step_speedup", "Step speedup", metric::kTotal),
    side_column("compile", "Compile time", &Network::compiled, &Side::compile_seconds, "s",
                {Notation::kSignificant, 3}),
    side_column("peak_eager", "Peak, eager", &Network::eager, &Side::peak_bytes, "GiB",
                {Notation::kGibibytes}),
    side_column("peak_compiled", "Peak, compiled", &Network::compiled, &Side::peak_bytes, "GiB",
                {Notation::kGibibytes}),
    side_column("kernels_eager", "Kernels, eager", &Network::eager, &Side::kernels, "",
                {Notation::kCount}),
    side_column("kernels_compiled", "Kernels, compiled", &Network::compiled, &Side::kernels, "",
                {Notation::kCount}),
    side_column("busy_eager", "Kernels busy, eager", &Network::eager, &Side::busy_share, "%",
                {Notation::kPercent}),
    side_column("busy_compiled", "Kernels busy, compiled", &Network::compiled, &Side::busy_share,
                "%", {Notation::kPercent})};

struct SpeedupRow {
  std::string row;
  double eager, compiled;  ///< ms
  double speedup;
};

const std::vector<Column<SpeedupRow>> kSpeedups{
    {"row", "Pass", &SpeedupRow::row},
    {"eager", "Eager", &SpeedupRow::eager, "ms", kMs},
    {"compiled", "Compiled", &SpeedupRow::compiled, "ms", kMs},
    {"speedup", "Speedup", &SpeedupRow::speedup, "×", kTimes}};

std::vector<SpeedupRow> speedup_rows(const std::vector<Network>& all) {
  std::vector<SpeedupRow> rows;
  for (const auto& [phase, words] :
       {std::pair(metric::kForward, "forward"), std::pair(metric::kTotal, "training step")}) {
    for (const Network& network : all) {
      const auto ratio = speedup(network, phase);
      if (!ratio) continue;
      rows.push_back({network.spec().size + ", " + network.precision() + ", " + words,
                      median(of(network.eager, phase)), median(of(network.compiled, phase)),
                      *ratio});
    }
  }
  return rows;
}

struct ClassRow {
  std::string kind;
  ClassSum eager, compiled;
};

const std::vector<Column<ClassRow>> kClasses{
    {"class", "Kernels", &ClassRow::kind},
    {"eager_calls",
     "Calls, eager",
     [](const ClassRow& row) { return Value(row.eager.calls); },
     "",
     {Notation::kCount}},
    {"compiled_calls",
     "Calls, compiled",
     [](const ClassRow& row) { return Value(row.compiled.calls); },
     "",
     {Notation::kCount}},
    {"eager_ms", "Time, eager", [](const ClassRow& row) { return Value(row.eager.ms); }, "ms", kMs},
    {"compiled_ms", "Time, compiled", [](const ClassRow& row) { return Value(row.compiled.ms); },
     "ms", kMs}};

/// A row for each class, sorted by time in eager mode, longest first.
std::vector<ClassRow> class_rows(const Network& network) {
  std::map<std::string, ClassRow> rows;
  const auto row = [&](const std::string& kind) -> ClassRow& {
    rows[kind].kind = kind;
    return rows[kind];
  };
  for (const auto& [kind, sum] : network.eager.classes()) row(kind).eager = sum;
  for (const auto& [kind, sum] : network.compiled.classes()) row(kind).compiled = sum;
  std::vector<ClassRow> list;
  for (const auto& [kind, sums] : rows) list.push_back(sums);
  std::ranges::stable_sort(list, std::greater(), [](const ClassRow& of) { return of.eager.ms; });
  return list;
}

ClassSum sum_of(const std::vector<ClassRow>& rows, ClassSum ClassRow::* side,
                const std::set<std::string>& left_out) {
  ClassSum sum;
  for (const ClassRow& row : rows) {
    if (left_out.contains(row.kind)) continue;
    sum.calls += (row.*side).calls;
    sum.ms += (row.*side).ms;
  }
  return sum;
}

/// The kernels, except GEMMs and memsets, before and after compiling. Nothing unless their times
/// explain more than half of what the step saves.
std::optional<Facts> fusion(const Network& network) {
  const std::vector<ClassRow> rows = class_rows(network);
  const ClassSum eager = sum_of(rows, &ClassRow::eager, {"GEMM", "memset"});
  const ClassSum compiled = sum_of(rows, &ClassRow::compiled, {"GEMM", "memset"});
  const double saved = median(network.eager.step()) - median(network.compiled.step());
  const bool explains = saved > 0 && eager.ms - compiled.ms > saved / 2;
  if (compiled.calls <= 0 || eager.calls <= compiled.calls || !explains) return std::nullopt;
  constexpr Notation kThree{Notation::kSignificant, 3};
  return Facts()
      .set("calls", eager.calls, {Notation::kCount})
      .set("compiled_calls", compiled.calls, {Notation::kCount})
      .set("ms", eager.ms, kThree)
      .set("compiled_ms", compiled.ms, kThree);
}

/// The optimizer's share of the compiled step's time. Nothing unless the optimizer takes as long as
/// in eager mode and so keeps the step's speedup below 0.9 of the forward pass's.
std::optional<double> optimizer_share(const Network& network) {
  const auto before = network.eager.phase(metric::kOptimizer);
  const auto optimizer = network.compiled.phase(metric::kOptimizer);
  const auto gain = speedup(network, metric::kTotal), forward = speedup(network, metric::kForward);
  if (before.empty() || optimizer.empty() || *gain > kLess * *forward) return std::nullopt;
  const double share = median(optimizer) / median(network.compiled.step());
  const bool alike = std::abs(median(before) / median(optimizer) - 1) < kSteady;
  return alike && share > kNoticeable ? std::optional(share) : std::nullopt;
}

/// The number of steps that save as much time as compiling took; nothing if they save none.
std::optional<double> payback(const Network& network) {
  const double seconds = network.compiled.compile_seconds().value_or(0);
  const double saved_ms = median(network.eager.step()) - median(network.compiled.step());
  if (seconds <= 0 || saved_ms <= 0) return std::nullopt;
  return 1e3 * seconds / saved_ms;
}

/// The facts of a network whose step and forward pass ran eager and compiled.
Facts network_facts(const Network& network) {
  const auto share = optimizer_share(network);
  return Facts()
      .set("size", network.spec().size)
      .set("precision", network.precision())
      .set("step", *speedup(network, metric::kTotal), kTimes)
      .set("forward", *speedup(network, metric::kForward), kTimes)
      .when("fusion", fusion(network))
      .when("optimizer", share.has_value(), "share", format_percent(share.value_or(0)));
}

std::vector<std::vector<Network>> by_precision(const std::vector<Network>& all) {
  std::vector<std::vector<Network>> groups;
  for (const Network& network : all) {
    if (groups.empty() || groups.back().front().precision() != network.precision()) {
      groups.emplace_back();
    }
    groups.back().push_back(network);
  }
  return groups;
}

std::string first_reason(const std::vector<Network>& all) {
  for (const Network& network : all) {
    for (const Side* side : {&network.eager, &network.compiled}) {
      if (!side->ran()) return side->reason();
    }
  }
  return "not measured yet";
}

/// Names the steps far longer than the others, which the medians ignore.
std::vector<Facts> outlier_facts(const std::vector<Network>& all) {
  std::vector<Facts> outliers;
  for (const Network& network : all) {
    for (const auto& [side, way] :
         {std::pair(&network.eager, "eager"), std::pair(&network.compiled, "compiled")}) {
      const std::vector<double> steps = side->step();
      if (!has_outlier(steps)) continue;
      Facts& facts = outliers.emplace_back();
      facts.set("size", network.spec().size).set("precision", network.precision());
      facts.set("way", way).set("longest", std::ranges::max(steps), kMs);
      facts.set("median", median(steps), kMs);
    }
  }
  return outliers;
}

/// Describes the largest network in its last precision, and lists its other precisions.
void add_answer(Facts& facts, const std::vector<Network>& all) {
  const std::vector<Network> timed = only(all, [](const Network& network) {
    return speedup(network, metric::kTotal) && speedup(network, metric::kForward);
  });
  facts.flag("nothing", timed.empty()).set("reason", first_reason(all));
  std::vector<Facts> others;
  for (const Network& network : timed) {
    const bool same = network.spec().model == timed.back().spec().model;
    if (same && network.precision() != timed.back().precision())
      others.push_back(network_facts(network));
  }
  facts.list("others", std::move(others));
  facts.when("largest", !timed.empty(), timed.empty() ? Facts() : network_facts(timed.back()));
  const auto steps = timed.empty() ? std::nullopt : payback(timed.back());
  facts.when("payback", steps.has_value(), "steps", format_count(std::llround(steps.value_or(0))));
  facts.list("outliers", outlier_facts(all));
}

}  // namespace

std::optional<PartContent> present_network(const RunView& view) {
  const std::vector<Network> all = networks(view);
  if (all.empty()) return std::nullopt;
  PartContent part;
  add_answer(part.facts, all);
  part.facts.flag("gpu", view.on_gpu());
  part.facts.flag("warm_cache", warm_cache(view.run()));
  const CellSpec& spec = all.front().spec();
  part.facts.set("warmup", format_count(spec.warmup.value_or(0)));
  part.facts.set("steps", format_count(spec.steps.value_or(0)));
  for (const Network& network : all) {
    for (const Cell* cell : {network.eager.cell(), network.compiled.cell()}) {
      if (cell != nullptr) part.cells.push_back(cell);
    }
  }
  part.datasets = {make_dataset("networks", kNetworks, all), make_dataset("costs", kNetworks, all),
                   make_dataset("phases", kNetworks, all),
                   make_dataset("speedups", kSpeedups, speedup_rows(all))};
  for (const std::vector<Network>& group : by_precision(only(all, &Network::both))) {
    Dataset classes = make_dataset("kernels", kClasses, class_rows(group.back()));
    classes.variant = group.back().spec().size + ", " + group.back().precision();
    part.datasets.push_back(std::move(classes));
  }
  part.details.tables = {
      command_table(view.run(), kProblem + std::string(".b"),
                    each(all, [](const Network& network) { return network.eager.cell(); }))};
  return part;
}

}  // namespace labreport::torch_compile
