#include "results/beside_others.h"

#include "results/metric_names.h"

namespace labreport {

bool ran_out_beside_others(const Launch& launch) {
  const Metric* others = launch.find_condition(metric::kGpu, metric::kOtherProcesses);
  return std::holds_alternative<OutOfMemory>(launch.outcome) && others != nullptr &&
         others->number().value_or(0) > 0;
}

}  // namespace labreport
