#include "experiments/benchmarking_mixed_precision/speedup_tables.h"

#include <algorithm>

#include "base/format.h"

namespace labreport::benchmarking_mixed_precision {
namespace {

CellView ratio_cell(const std::optional<Ratio>& ratio) {
  if (!ratio) return missing_cell();
  return ratio->deviation > 0 ? deviating_cell(ratio->value, ratio->deviation)
                              : number_cell(format_ratio(ratio->value), ratio->value);
}

CellView bound_cell(const std::optional<Bound>& bound) {
  return bound ? text_cell(std::string(describe(*bound))) : missing_cell();
}

void add_flags(RowView& row, const TimingGroup& group) {
  const auto step = timed(group, Mode::kTrainStep);
  if (step) row.flags = disturbances(*step);
}

std::string size_of(const TimingGroup& group) {
  // The label carries the precision, which has a column of its own.
  const std::string precision = ", " + std::string(describe(*group.spec.precision));
  return group.label.ends_with(precision)
             ? group.label.substr(0, group.label.size() - precision.size())
             : group.label;
}

}  // namespace

TableView times_table(const std::vector<TimingGroup>& groups) {
  TableView table{"times",
                  "Time in each precision, mean ± standard deviation",
                  {{"Size", "", Align::kLeft},
                   {"Precision", "", Align::kLeft},
                   {"Forward", "ms", Align::kRight},
                   {"Backward", "ms", Align::kRight},
                   {"Train step", "ms", Align::kRight}},
                  {}};
  for (const TimingGroup& group : groups) {
    const Phases times = phases(group);
    RowView row{{text_cell(size_of(group)), text_cell(std::string(describe(*group.spec.precision))),
                 mean_cell(times.forward), mean_cell(times.backward),
                 mean_cell(whole_step(group, Mode::kTrainStep))},
                {},
                ""};
    add_flags(row, group);
    explain(row, missing_step(group), 2);
    table.rows.push_back(std::move(row));
  }
  return table;
}

TableView speedups_table(const std::vector<Speedup>& rows) {
  TableView table{"speedups",
                  "Speedup over FP32",
                  {{"Size", "", Align::kLeft},
                   {"Precision", "", Align::kLeft},
                   {"Forward", "×", Align::kRight},
                   {"Backward", "×", Align::kRight},
                   {"Train step", "×", Align::kRight},
                   {"FP32 is", "", Align::kLeft},
                   {"Reduced precision is", "", Align::kLeft}},
                  {}};
  for (const Speedup& row : rows) {
    if (!row.forward && !row.backward) continue;
    table.rows.push_back({{text_cell(row.size), text_cell(row.precision), ratio_cell(row.forward),
                           ratio_cell(row.backward), ratio_cell(row.step),
                           bound_cell(row.base_bound), bound_cell(row.reduced_bound)},
                          {},
                          ""});
  }
  return table;
}

}  // namespace labreport::benchmarking_mixed_precision
