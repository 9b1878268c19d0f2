#include "experiments/benchmarking_script/anatomy.h"

#include "base/format.h"
#include "results/metric_names.h"

namespace labreport::benchmarking_script {
namespace {

std::optional<double> value(const Launch& launch, std::string_view tag, std::string_view name) {
  const Metric* metric = launch.find(tag, name);
  const auto number = metric == nullptr ? std::nullopt : metric->number();
  return number ? std::optional(*number / kNanosecondsPerMillisecond) : std::nullopt;
}

const Launch* profiled_first(const RunView& view, const CellSpec& network) {
  const Cell* cell = view.cell(CellKind::kKernels, [&](const CellSpec& spec) {
    return spec.warmup == 0 && spec.steps == 0 && spec.model == network.model &&
           spec.context == network.context && spec.batch == network.batch &&
           spec.precision == network.precision;
  });
  return cell == nullptr ? nullptr : ok_launch(*cell);
}

CellView time_cell(std::optional<double> ms) {
  return ms ? number_cell(format_significant(*ms), *ms) : missing_cell();
}

}  // namespace

std::vector<FirstStep> first_steps(const RunView& view, const std::vector<TimingGroup>& groups) {
  std::vector<FirstStep> found;
  for (const TimingGroup& group : groups) {
    const Launch* launch = profiled_first(view, group.spec);
    const auto whole =
        launch == nullptr ? std::nullopt : value(*launch, metric::kProfile, metric::kStep);
    if (!whole) continue;
    found.push_back({group.label, *whole, value(*launch, metric::kFirst, metric::kCodeLoading),
                     value(*launch, metric::kFirst, metric::kMatrixLibrary),
                     value(*launch, metric::kRuntime, metric::kAllocation),
                     value(*launch, metric::kProfile, metric::kBusy).value_or(0)});
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
    table.rows.push_back(
        {{text_cell(step.label), time_cell(step.whole), time_cell(step.code),
          time_cell(step.library), time_cell(step.allocation), time_cell(step.busy)},
         {},
         ""});
  }
  return table;
}

}  // namespace labreport::benchmarking_script
