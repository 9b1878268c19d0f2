#include "experiments/nsys_profile/gpu_trace.h"

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::nsys_profile {

std::vector<TracedKernel> gpu_trace(const Launch& launch) {
  const std::vector<MeasuredRow> kernels = measured_rows(launch, metric::kKernels);
  std::vector<TracedKernel> trace;
  double start = 0;
  for (const MeasuredRow& row : measured_rows(launch, metric::kGpuTrace)) {
    const auto block = row.number(column::kBlock);
    start += row.number(column::kAfterNs).value_or(0);
    trace.push_back({start, row.number(column::kDurationNs).value_or(0),
                     block ? std::optional(static_cast<std::int64_t>(*block)) : std::nullopt,
                     kernels.at(static_cast<std::size_t>(row.number(column::kRow).value_or(0)))});
  }
  return trace;
}

}  // namespace labreport::nsys_profile
