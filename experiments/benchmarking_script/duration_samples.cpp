// The data of part (b)'s figure: a row for each size and phase, its steps side by side.
#include <algorithm>

#include "base/format.h"
#include "experiments/benchmarking_script/duration_tables.h"
#include "experiments/benchmarking_script/parts.h"

namespace labreport::benchmarking_script {
namespace {

/// More would not fit a page; longer series go on in the next row.
constexpr std::size_t kStepsPerRow = 10;

struct Series {
  std::string size;
  std::string phase;
  std::vector<double> samples;
};

std::vector<Series> all_series(const std::vector<TimingGroup>& groups) {
  std::vector<Series> all;
  const auto add = [&](const TimingGroup& group, const char* phase, std::vector<double> samples) {
    if (!samples.empty()) all.push_back({group.label, phase, std::move(samples)});
  };
  for (const TimingGroup& group : groups) {
    Phases times = phases(group);
    add(group, "forward", std::move(times.forward));
    add(group, "backward", std::move(times.backward));
    add(group, "optimizer", std::move(times.optimizer));
  }
  return all;
}

std::size_t longest(const std::vector<Series>& all) {
  std::size_t steps = 0;
  for (const Series& series : all) steps = std::max(steps, series.samples.size());
  return steps;
}

std::string steps_words(std::size_t first, std::size_t last) {
  return std::to_string(first + 1) + " to " + std::to_string(last);
}

RowView samples_row(const Series& series, std::size_t first, std::size_t columns, bool split) {
  const std::size_t last = std::min(first + kStepsPerRow, series.samples.size());
  RowView row{{text_cell(series.size), text_cell(series.phase)}, {}, ""};
  if (split) row.cells.push_back(text_cell(steps_words(first, last)));
  for (std::size_t step = first; step < last; ++step) {
    const double sample = series.samples[step];
    row.cells.push_back(number_cell(format_significant(sample, 5), sample));
  }
  row.cells.resize(columns, missing_cell());
  return row;
}

std::vector<ColumnView> samples_columns(std::size_t steps) {
  const bool split = steps > kStepsPerRow;
  std::vector<ColumnView> columns{{"Size", "", Align::kLeft}, {"Phase", "", Align::kLeft}};
  if (split) columns.push_back({"Steps", "", Align::kLeft});
  for (std::size_t step = 1; step <= std::min(steps, kStepsPerRow); ++step) {
    const std::string title =
        split ? "…" + std::to_string(step % kStepsPerRow) : "Step " + std::to_string(step);
    columns.push_back({title, "ms", Align::kRight});
  }
  return columns;
}

}  // namespace

TableView samples_table(const std::vector<TimingGroup>& groups) {
  const std::vector<Series> all = all_series(groups);
  const std::size_t steps = longest(all);
  TableView table{"durations-data", "Every sample of the figure", samples_columns(steps), {}};
  for (const Series& series : all) {
    for (std::size_t first = 0; first < series.samples.size(); first += kStepsPerRow) {
      table.rows.push_back(samples_row(series, first, table.columns.size(), steps > kStepsPerRow));
    }
  }
  return table;
}

}  // namespace labreport::benchmarking_script
