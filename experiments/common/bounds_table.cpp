#include "experiments/common/bounds_table.h"

#include "base/format.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kTera = 1e12;
constexpr std::size_t kLabels = 2;
constexpr std::size_t kLags = 4;  // Columns that a device clock fills.

/// How long the host waits for the device at a step's end; the median.
std::optional<double> wait_share(const Timed& timed) {
  const auto totals = timed.counted(metric::kStep, metric::kTotal);
  const auto enqueued = timed.counted(metric::kStep, metric::kEnqueue);
  const bool known = !totals.empty() && totals.size() == enqueued.size();
  if (!known || device_lags(timed).empty()) return std::nullopt;
  std::vector<double> shares;
  for (std::size_t i = 0; i < totals.size(); ++i) shares.push_back(1 - enqueued[i] / totals[i]);
  return median(shares);
}

CellView lag_cell(const Timed& timed, std::string_view phase) {
  for (const PhaseLag& lag : device_lags(timed)) {
    if (lag.phase == phase) return share_cell(lag.share);
  }
  return missing_cell();
}

RowView bounds_row(const RunView& view, const TimingGroup& group, const Timed& timed) {
  RowView row{
      {text_cell(group.label), text_cell(std::string(describe(*timed.spec->mode)))}, {}, ""};
  for (const auto phase : {metric::kForward, metric::kBackward, metric::kOptimizer}) {
    row.cells.push_back(lag_cell(timed, phase));
  }
  row.cells.push_back(share_cell(wait_share(timed)));
  // A processor's operators are no kernels beside the host: their share would say nothing.
  row.cells.push_back(share_cell(view.on_gpu() ? busy_share(view, *timed.spec) : std::nullopt));
  const auto sets_pace = bound(timed);
  row.cells.push_back(sets_pace ? text_cell(std::string(describe(*sets_pace))) : missing_cell());
  const auto steps = timed.counted(metric::kStep, metric::kTotal);
  const double rate = steps.empty() ? 0 : step_flops(*timed.spec) / (median(steps) / 1e3) / kTera;
  row.cells.push_back(number_cell(format_significant(rate), rate));
  row.cells.push_back(share_cell(share_of_peak(view, timed)));
  return row;
}

}  // namespace

TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups,
                       Mode preferred) {
  TableView table{"bounds",
                  "What bounds a step",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"GPU lag behind CPU, forward", "%", Align::kRight},
                   {"Backward", "%", Align::kRight},
                   {"Optimizer", "%", Align::kRight},
                   {"CPU waits at the end", "%", Align::kRight},
                   {"Kernels busy", "%", Align::kRight},
                   {"Bound", "", Align::kLeft},
                   {"Attained", "TFLOP/s", Align::kRight},
                   {"Of measured peak", "%", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    const auto wanted = timed(group, preferred);
    if (const auto found = wanted ? wanted : fullest(group))
      table.rows.push_back(bounds_row(view, group, *found));
  }
  const std::size_t columns = table.columns.size();
  drop_empty_columns(table, kLabels);
  // Without a device clock only the rates are left.
  if (columns - table.columns.size() > kLags) table.title = "What a step attains";
  return table;
}

}  // namespace labreport
