#include "experiments/common/bounds_table.h"

#include "base/outliers.h"
#include "experiments/common/bound.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kTera = 1e12;
constexpr Notation kShareNotation{Notation::kPercent};

struct BoundsRow {
  const TimingGroup* group;
  TimedLaunch timed;
  NetworkBounds network;
  std::optional<double> flops, utilization;  ///< See `flops_of_step` and `flops_utilization`.

  Value teraflops_per_second() const {
    const auto steps = timed.ms_after_warmup(metric::kStep, metric::kTotal);
    return steps.empty() || !flops ? Value() : *flops / (typical_time(steps) / 1e3) / kTera;
  }
};

Column<BoundsRow> share_column(const char* name, const char* title,
                               TimeBound NetworkBounds::* time) {
  const auto share = [time](const BoundsRow& row) {
    const auto& costs = (row.network.*time).costs;
    return costs ? Value(costs->kernel_share()) : Value();
  };
  return {name, title, share, "%", kShareNotation};
}

/// Shows a number of the whole step's launches; none if the step was not profiled.
template <typename Number>
Column<BoundsRow> launch_column(const char* name, const char* title, const char* unit,
                                Number number, Notation notation) {
  const auto value = [number](const BoundsRow& row) {
    const auto& costs = row.network.step.costs;
    return costs ? Value(std::invoke(number, *costs)) : Value();
  };
  return {name, title, value, unit, notation};
}

const std::vector<Column<BoundsRow>> kBounds{
    {"size", "Size", [](const BoundsRow& row) { return row.group->name; }},
    {"mode", "Mode", [](const BoundsRow& row) { return describe(*row.timed.spec->mode); }},
    {"context",
     "Context",
     [](const BoundsRow& row) { return row.group->context; },
     "",
     {Notation::kCount}},
    share_column("forward", "Kernels fill of forward", &NetworkBounds::forward),
    share_column("backward", "Of backward", &NetworkBounds::backward),
    share_column("optimizer", "Of the optimizer", &NetworkBounds::optimizer),
    share_column("step", "Of the step", &NetworkBounds::step),
    launch_column("launches", "Launches of the step", "", &LaunchCosts::launches,
                  {Notation::kCount}),
    launch_column("kernel", "Mean kernel", "µs", &LaunchCosts::mean_kernel_us, kThreeDigits),
    launch_column("idle", "GPU idle a kernel", "µs", &LaunchCosts::gpu_idle_us, kThreeDigits),
    launch_column("cpu", "CPU a launch", "µs", &LaunchCosts::cpu_us, kThreeDigits),
    {"rate", "Rate", &BoundsRow::teraflops_per_second, "TFLOP/s"},
    {"of_peak", "MFU", &BoundsRow::utilization, "%", kShareNotation},
    {"bound", "Bound", [](const BoundsRow& row) {
       const auto bound = row.network.bound();
       return bound ? Value(describe(*bound)) : Value();
     }}};

}  // namespace

TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<BoundsRow> rows;
  for (const TimingGroup& group : groups) {
    const auto step = longest_timed_launch(group);
    if (!step) continue;
    const auto utilization = flops_utilization(view, *step);
    if (!view.on_gpu() && !utilization) continue;
    rows.push_back({&group, *step, network_bounds(view, group), flops_of_step(view, *step->spec),
                    utilization});
  }
  std::vector<Column<BoundsRow>> columns = kBounds;
  const std::string share = utilization_name(view);
  std::ranges::find(columns, "of_peak", &Column<BoundsRow>::name)->title = share;
  TableView table = table_of(make_dataset("bounds", columns, rows));
  const bool has_share =
      std::ranges::any_of(rows, [](const auto& row) { return !!row.utilization; });
  table.title = std::string(view.on_gpu() ? "What bounds a step" : "") +
                (view.on_gpu() && has_share ? ", and " : "") + (has_share ? share : "");
  return table;
}

}  // namespace labreport
