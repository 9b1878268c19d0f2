#include "analysis/noise_floor.h"

#include <cmath>
#include <vector>

#include "analysis/launch_median.h"
#include "base/statistics.h"

namespace labreport {

std::optional<NoiseFloor> noise_floor(const Run& run) {
  NoiseFloor floor;
  double squares = 0;
  for (const Cell& cell : run.cells) {
    std::vector<double> logs = launch_medians(cell);
    if (logs.size() < 2 || cell.spec.steps.value_or(0) < 2) continue;
    const double first = logs.front();  // Equal medians leave no rounding error behind.
    for (double& value : logs) value = std::log(value / first);
    const double deviation = sample_stddev(logs);
    const auto degrees = static_cast<std::int64_t>(logs.size()) - 1;
    squares += deviation * deviation * static_cast<double>(degrees);
    floor.degrees += degrees;
    ++floor.cells;
  }
  if (floor.cells == 0) return std::nullopt;
  floor.log_stddev = std::sqrt(squares / static_cast<double>(floor.degrees));
  return floor;
}

}  // namespace labreport
