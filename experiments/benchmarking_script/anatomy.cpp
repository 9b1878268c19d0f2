#include "experiments/benchmarking_script/anatomy.h"

#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

const Launch* profiled_first(const RunView& view, const CellSpec& network) {
  const Cell* cell = view.cell(CellKind::kKernels, [&](const CellSpec& spec) {
    return spec.warmup == 0 && spec.steps == 0 && same_setting(spec, network);
  });
  return cell == nullptr ? nullptr : ok_launch(*cell);
}

}  // namespace

std::vector<FirstStep> first_steps(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<FirstStep> found;
  for (const TimingGroup& group : groups) {
    const Launch* launch = profiled_first(view, group.spec);
    const auto whole = launch == nullptr
                           ? std::nullopt
                           : single_milliseconds(*launch, metric::kProfile, metric::kStep);
    if (!whole) continue;
    found.push_back({group.label, *whole,
                     single_milliseconds(*launch, metric::kFirst, metric::kCodeLoading),
                     single_milliseconds(*launch, metric::kFirst, metric::kMatrixLibrary),
                     single_milliseconds(*launch, metric::kRuntime, metric::kAllocation),
                     single_milliseconds(*launch, metric::kProfile, metric::kBusy).value_or(0)});
  }
  return found;
}

TableView anatomy_table(const std::vector<FirstStep>& steps) {
  TableView table{"anatomy",
                  "Where the first forward+backward step of a process goes, profiled",
                  {{"Size", "", Align::kLeft}},
                  {}};
  for (const char* column : {"First step", "Loading kernels' code", "Matrix library's set-up",
                             "Allocation", "Kernels run"}) {
    table.columns.push_back({column, "ms", Align::kRight});
  }
  for (const FirstStep& step : steps) {
    table.rows.push_back({{text_cell(step.label), ms_cell(step.whole), ms_cell(step.code),
                           ms_cell(step.library), ms_cell(step.allocation), ms_cell(step.busy)},
                          {},
                          ""});
  }
  return table;
}

}  // namespace labreport::benchmarking_script
