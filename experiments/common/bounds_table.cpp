#include "experiments/common/bounds_table.h"

#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kTera = 1e12;
constexpr Notation kShareNotation{Notation::kPercent};

struct BoundsRow {
  const TimingGroup* group;
  TimedLaunch timed;
  std::vector<PhaseLag> lags;
  std::optional<Bound> bound;
  std::optional<double> busy_share;
  std::optional<double> mfu;  ///< See `model_flops_utilization`.

  Value lag_ratio(std::string_view phase) const {
    for (const PhaseLag& lag : lags) {
      if (lag.phase == phase) return lag.lag_ratio;
    }
    return {};
  }
  Value teraflops_per_second() const {
    const auto steps = timed.ms_after_warmup(metric::kStep, metric::kTotal);
    const auto flops = step_flops(*timed.spec);
    return steps.empty() || !flops ? Value() : *flops / (median(steps) / 1e3) / kTera;
  }
};

Column<BoundsRow> lag_column(std::string_view phase, const char* title) {
  return {std::string(phase), title, [phase](const BoundsRow& row) { return row.lag_ratio(phase); },
          "%", kShareNotation};
}

const std::vector<Column<BoundsRow>> kBounds{
    {"size", "Size", [](const BoundsRow& row) { return row.group->name; }},
    {"mode", "Mode", [](const BoundsRow& row) { return describe(*row.timed.spec->mode); }},
    {"context",
     "Context",
     [](const BoundsRow& row) { return row.group->context; },
     "",
     {Notation::kCount}},
    lag_column(metric::kForward, "GPU lag behind CPU, forward"),
    lag_column(metric::kBackward, "GPU lag, backward"),
    lag_column(metric::kOptimizer, "GPU lag, optimizer"),
    {"busy", "GPU busy", &BoundsRow::busy_share, "%", kShareNotation},
    {"rate", "Rate", &BoundsRow::teraflops_per_second, "TFLOP/s"},
    {"of_peak", "MFU vs. measured peak", &BoundsRow::mfu, "%", kShareNotation},
    {"bound", "Bound",
     [](const BoundsRow& row) { return row.bound ? Value(describe(*row.bound)) : Value(); }}};

}  // namespace

TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups,
                       Mode preferred) {
  std::vector<BoundsRow> rows;
  for (const TimingGroup& group : groups) {
    auto step = timed_launch(group, preferred);
    if (!step) step = longest_timed_launch(group);
    if (!step) continue;
    const auto mfu = model_flops_utilization(view, *step);
    if (!view.on_gpu() && !mfu) continue;
    // A busy share has no meaning on a CPU, where the host itself runs the operators.
    const auto busy = view.on_gpu() ? busy_share(view, *step->spec) : std::nullopt;
    rows.push_back({&group, *step, device_lags(view, *step), bound_of(view, *step), busy, mfu});
  }
  TableView table = table_of(make_dataset("bounds", kBounds, rows));
  const bool has_mfu = std::ranges::any_of(rows, [](const auto& row) { return !!row.mfu; });
  table.title = std::string(view.on_gpu() ? "What bounds a step" : "") +
                (view.on_gpu() && has_mfu ? ", and " : "") + (has_mfu ? "MFU" : "");
  return table;
}

}  // namespace labreport
