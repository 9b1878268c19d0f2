#include "experiments/common/bounds_table.h"

#include <algorithm>

#include "base/format.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport {
namespace {

constexpr double kTera = 1e12;
constexpr const char* kBusyColumn = "Kernels run";

/// How long the host waits for the device at a step's end; the median.
std::optional<double> wait_share(const Timed& timed) {
  const auto totals = timed.counted(metric::kStep, metric::kTotal);
  const auto enqueued = timed.counted(metric::kStep, metric::kEnqueue);
  if (device_lags(timed).empty() || totals.size() != enqueued.size()) return std::nullopt;
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
  row.cells.push_back(share_cell(busy_share(view, *timed.spec)));
  const auto sets_pace = bound(timed);
  row.cells.push_back(sets_pace ? text_cell(std::string(describe(*sets_pace))) : missing_cell());
  const auto steps = timed.counted(metric::kStep, metric::kTotal);
  const double rate = steps.empty() ? 0 : step_flops(*timed.spec) / (median(steps) / 1e3) / kTera;
  row.cells.push_back(number_cell(format_significant(rate), rate));
  row.cells.push_back(share_cell(share_of_peak(view, timed)));
  return row;
}

/// A column that no row has a number for says nothing.
void drop_if_empty(TableView& table, std::string_view title) {
  const auto column = std::ranges::find(table.columns, title, &ColumnView::title);
  const auto place = column - table.columns.begin();
  const bool known = std::ranges::any_of(table.rows, [place](const RowView& row) {
    return row.cells.at(static_cast<std::size_t>(place)).sort.has_value();
  });
  if (known) return;
  table.columns.erase(column);
  for (RowView& row : table.rows) row.cells.erase(row.cells.begin() + place);
}

}  // namespace

TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups,
                       Mode preferred) {
  TableView table{"bounds",
                  "What bounds a step",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"Device behind host, forward", "%", Align::kRight},
                   {"Backward", "%", Align::kRight},
                   {"Optimizer", "%", Align::kRight},
                   {"Waits at the end", "%", Align::kRight},
                   {kBusyColumn, "%", Align::kRight},
                   {"Bound", "", Align::kLeft},
                   {"Attained", "TFLOP/s", Align::kRight},
                   {"Of measured peak", "%", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    const auto wanted = timed(group, preferred);
    if (const auto found = wanted ? wanted : fullest(group))
      table.rows.push_back(bounds_row(view, group, *found));
  }
  drop_if_empty(table, kBusyColumn);
  return table;
}

}  // namespace labreport
