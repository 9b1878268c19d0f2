#include "experiments/benchmarking_script/duration_tables.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "experiments/benchmarking_script/parts.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

CellView ratio_cell(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  if (numerator.empty() || denominator.empty()) return missing_cell();
  const double ratio = mean(numerator) / mean(denominator);
  return number_cell(format_ratio(ratio), ratio);
}

CellView variation_cell(const std::vector<double>& samples) {
  if (samples.size() < 2) return missing_cell();
  const double coefficient = summarize(samples).coefficient_of_variation();
  return share_cell(coefficient);
}

}  // namespace

TableView phases_table(const std::vector<TimingGroup>& groups) {
  TableView table{"phases",
                  "Phases of a step, mean ± standard deviation",
                  {{"Size", "", Align::kLeft},
                   {"Forward", "ms", Align::kRight},
                   {"Backward", "ms", Align::kRight},
                   {"Optimizer", "ms", Align::kRight},
                   {"Backward ÷ forward", "×", Align::kRight},
                   {"Forward varies by", "%", Align::kRight},
                   {"Backward varies by", "%", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    const Phases times = phases(group);
    RowView row{{text_cell(group.label)}, {}, ""};
    for (const auto* samples : {&times.forward, &times.backward, &times.optimizer}) {
      row.cells.push_back(mean_cell(*samples));
    }
    row.cells.push_back(ratio_cell(times.backward, times.forward));
    row.cells.push_back(variation_cell(times.forward));
    row.cells.push_back(variation_cell(times.backward));
    for (const Mode mode : {Mode::kForwardBackward, Mode::kTrainStep}) {
      if (const auto found = timed(group, mode)) add_flags(row, disturbances(*found));
    }
    explain(row, reasons_missing(group));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView modes_table(const std::vector<TimingGroup>& groups) {
  TableView table{"modes",
                  "Whole steps, synchronised once at the end",
                  {{"Size", "", Align::kLeft},
                   {"Inference", "ms", Align::kRight},
                   {"Forward", "ms", Align::kRight},
                   {"Forward+backward", "ms", Align::kRight},
                   {"Train step", "ms", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    RowView row{{text_cell(group.label)}, {}, ""};
    for (const Mode mode : kModes) {
      const auto found = timed(group, mode);
      row.cells.push_back(mean_cell(whole_step(group, mode)));
      if (found) add_flags(row, disturbances(*found));
    }
    explain(row, reasons_missing(group));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace labreport::benchmarking_script
