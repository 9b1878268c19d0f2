// What lies in the drawer of part (b): quartiles, events, conditions.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "document/charts/chart_forms.h"
#include "experiments/benchmarking_script/duration_tables.h"
#include "experiments/benchmarking_script/parts.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr std::size_t kLabels = 2;  // Size and mode.
constexpr std::array kEventPhases{metric::kForward, metric::kLoss, metric::kBackward,
                                  metric::kOptimizer};

/// Calls `visit(label, timed)` for everything that ran.
template <typename Visit>
void each_timed(const std::vector<TimingGroup>& groups, Visit visit) {
  for (const TimingGroup& group : groups) {
    for (const auto& [mode, cell] : group.cells) {
      if (const auto found = timed(group, mode)) visit(group, *found);
    }
  }
}

RowView labelled_row(const TimingGroup& group, const Timed& timed) {
  return {{text_cell(group.label), text_cell(std::string(describe(*timed.spec->mode)))}, {}, ""};
}

CellView decimal_cell(double value) { return number_cell(format_significant(value, 5), value); }

CellView condition_cell(const Launch& launch, std::string_view tag, std::string_view name,
                        double unit = 1) {
  const Metric* metric = launch.find_condition(tag, name);
  const auto value = metric == nullptr ? std::nullopt : metric->number();
  return value ? number_cell(format_fixed(*value / unit, 0), *value / unit) : missing_cell();
}

/// Power limits and thermal limits as a share of the timed steps would need their span; the raw
/// time says as much.
RowView conditions_row(const TimingGroup& group, const Timed& timed) {
  const Launch& launch = *timed.launch;
  RowView row = labelled_row(group, timed);
  row.cells.push_back(condition_cell(launch, metric::kClock, "sm"));
  row.cells.push_back(condition_cell(launch, metric::kGpu, metric::kTemperature));
  row.cells.push_back(
      condition_cell(launch, metric::kSlowdown, metric::kPower, kNanosecondsPerMillisecond));
  row.cells.push_back(
      condition_cell(launch, metric::kSlowdown, metric::kThermal, kNanosecondsPerMillisecond));
  row.cells.push_back(condition_cell(launch, metric::kGpu, metric::kOtherProcesses));
  row.cells.push_back(condition_cell(launch, metric::kGpu, metric::kDeviceAllocations));
  row.flags = disturbances(timed);
  return row;
}

}  // namespace

TableView quartiles_table(const std::vector<TimingGroup>& groups) {
  TableView table{"quartiles",
                  "Whole steps: minimum, quartiles and maximum",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"Minimum", "ms", Align::kRight},
                   {"Lower quartile", "ms", Align::kRight},
                   {"Median", "ms", Align::kRight},
                   {"Upper quartile", "ms", Align::kRight},
                   {"Maximum", "ms", Align::kRight}},
                  {}};
  each_timed(groups, [&](const TimingGroup& group, const Timed& timed) {
    const auto steps = timed.counted(metric::kStep, metric::kTotal);
    if (steps.empty()) return;
    const Summary summary = summarize(steps);
    RowView row = labelled_row(group, timed);
    for (const double value : {summary.min, summary.lower_quartile, summary.median,
                               summary.upper_quartile, summary.max}) {
      row.cells.push_back(decimal_cell(value));
    }
    table.rows.push_back(std::move(row));
  });
  return table;
}

TableView events_table(const std::vector<TimingGroup>& groups) {
  TableView table{"events",
                  "The same steps by device events, and what synchronising costs",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"Forward", "ms", Align::kRight},
                   {"Loss", "ms", Align::kRight},
                   {"Backward", "ms", Align::kRight},
                   {"Optimizer", "ms", Align::kRight},
                   {"Cost of synchronising", "%", Align::kRight}},
                  {}};
  each_timed(groups, [&](const TimingGroup& group, const Timed& timed) {
    RowView row = labelled_row(group, timed);
    for (const auto phase : kEventPhases) {
      row.cells.push_back(mean_cell(timed.counted(metric::kEvent, phase)));
    }
    const auto once = timed.counted(metric::kStep, metric::kTotal);
    const auto often = timed.counted(metric::kSynced, metric::kTotal);
    const bool both = !once.empty() && !often.empty();
    const double cost = both ? median(often) / median(once) - 1 : 0;
    row.cells.push_back(both ? share_cell(cost) : missing_cell());
    table.rows.push_back(std::move(row));
  });
  drop_empty_columns(table, kLabels);
  return table;
}

TableView conditions_table(const std::vector<TimingGroup>& groups) {
  TableView table{"conditions",
                  "Conditions around the timed steps",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"SM clock", "MHz", Align::kRight},
                   {"Temperature", "°C", Align::kRight},
                   {"Power limit held for", "ms", Align::kRight},
                   {"Thermal limit held for", "ms", Align::kRight},
                   {"Other processes", "", Align::kRight},
                   {"Device allocations", "", Align::kRight}},
                  {}};
  each_timed(groups, [&](const TimingGroup& group, const Timed& timed) {
    table.rows.push_back(conditions_row(group, timed));
  });
  drop_empty_columns(table, kLabels);
  return table;
}

Figure spread_figure(const std::vector<TimingGroup>& groups) {
  std::vector<Strip> strips;
  each_timed(groups, [&](const TimingGroup& group, const Timed& timed) {
    const auto steps = timed.counted(metric::kStep, metric::kTotal);
    if (!steps.empty()) {
      strips.push_back({group.label + ", " + std::string(describe(*timed.spec->mode)), steps});
    }
  });
  return {.slug = "durations-spread",
          .title = "Every whole step, as its distance from the row's mean",
          .caption = "One tick a step.",
          .alt = "A strip plot: one row for each size and mode, one tick for each timed step.",
          .spec = strip_chart(strips),
          .data = quartiles_table(groups)};
}

std::vector<std::string> warnings(const std::vector<TimingGroup>& groups) {
  std::vector<std::string> lines;
  each_timed(groups, [&](const TimingGroup& group, const Timed& timed) {
    for (const std::string& warning : timed.launch->warnings) {
      lines.push_back(group.label + ", " + std::string(describe(*timed.spec->mode)) + ": " +
                      warning);
    }
  });
  return lines;
}

}  // namespace labreport::benchmarking_script
