#include "experiments/benchmarking_script/duration_tables.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "experiments/benchmarking_script/parts.h"
#include "plan/arithmetic.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

constexpr std::array kModes{Mode::kInference, Mode::kForward, Mode::kForwardBackward,
                            Mode::kTrainStep};
constexpr double kTera = 1e12;

void add_flags(RowView& row, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::find(row.flags.begin(), row.flags.end(), word) == row.flags.end()) {
      row.flags.push_back(word);
    }
  }
}

CellView ratio_cell(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  if (numerator.empty() || denominator.empty()) return missing_cell();
  const double ratio = mean(numerator) / mean(denominator);
  return number_cell(format_ratio(ratio), ratio);
}

CellView share_cell(std::optional<double> share) {
  return share ? number_cell(format_percent(*share), *share) : missing_cell();
}

CellView variation_cell(const std::vector<double>& samples) {
  if (samples.size() < 2) return missing_cell();
  const double coefficient = summarize(samples).coefficient_of_variation();
  return number_cell(format_percent(coefficient), coefficient);
}

/// The step that says most about a network: forward+backward, else the longest that ran.
std::optional<Timed> telling(const TimingGroup& group) {
  for (const Mode mode : {Mode::kForwardBackward, Mode::kForward, Mode::kInference}) {
    if (auto found = timed(group, mode)) return found;
  }
  return std::nullopt;
}

CellView lag_cell(const Timed& timed, std::string_view phase) {
  for (const PhaseLag& lag : device_lags(timed)) {
    if (lag.phase == phase) return number_cell(format_percent(lag.share), lag.share);
  }
  return missing_cell();
}

RowView bounds_row(const RunView& view, const TimingGroup& group, const Timed& timed) {
  RowView row{
      {text_cell(group.label), text_cell(std::string(describe(*timed.spec->mode)))}, {}, ""};
  for (const auto phase : {metric::kForward, metric::kBackward}) {
    row.cells.push_back(lag_cell(timed, phase));
  }
  const auto sets_pace = bound(timed);
  row.cells.push_back(sets_pace ? text_cell(std::string(describe(*sets_pace))) : missing_cell());
  const auto steps = timed.counted(metric::kStep, metric::kTotal);
  const double rate = steps.empty() ? 0 : step_flops(*timed.spec) / (median(steps) / 1e3) / kTera;
  row.cells.push_back(number_cell(format_significant(rate), rate));
  row.cells.push_back(share_cell(share_of_peak(view, timed)));
  return row;
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
      row.cells.push_back(found ? mean_cell(found->counted(metric::kStep, metric::kTotal))
                                : missing_cell());
      if (found) add_flags(row, disturbances(*found));
    }
    explain(row, reasons_missing(group));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView bounds_table(const RunView& view, const std::vector<TimingGroup>& groups) {
  TableView table{"bounds",
                  "What bounds a step",
                  {{"Size", "", Align::kLeft},
                   {"Mode", "", Align::kLeft},
                   {"Device behind host, forward", "%", Align::kRight},
                   {"Backward", "%", Align::kRight},
                   {"Bound", "", Align::kLeft},
                   {"Attained", "TFLOP/s", Align::kRight},
                   {"Of measured peak", "%", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    if (const auto found = telling(group)) table.rows.push_back(bounds_row(view, group, *found));
  }
  return table;
}

}  // namespace labreport::benchmarking_script
