#include "analysis/noise_floor.h"

#include <algorithm>
#include <cmath>

#include "analysis/significance.h"
#include "base/statistics.h"

namespace labreport {

std::vector<double> launch_medians(const Cell& cell) {
  const bool timed = cell.spec.kind == CellKind::kTiming;
  return timed ? launch_values(cell, Measure::kStep) : std::vector<double>();
}

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

namespace {

constexpr double kConfidence = 0.95;

double squared_error(const NoiseFloor& floor, std::size_t launches) {
  return floor.log_stddev * floor.log_stddev / static_cast<double>(launches);
}

double degrees(const NoiseFloor& floor) { return static_cast<double>(floor.degrees); }

}  // namespace

bool has_floor(const CellSpec& spec, Measure measure) {
  return spec.kind == CellKind::kTiming && measure == Measure::kStep && spec.steps.value_or(0) >= 2;
}

std::optional<std::pair<double, double>> floor_interval(double ratio, std::size_t launches_a,
                                                        std::size_t launches_b,
                                                        const Floors& floors) {
  const auto& a = floors.a || !floors.one_machine ? floors.a : floors.b;
  const auto& b = floors.b || !floors.one_machine ? floors.b : floors.a;
  if (!a || !b) return std::nullopt;
  const double in_a = squared_error(*a, launches_a);
  const double in_b = squared_error(*b, launches_b);
  const double sum = in_a + in_b;
  Welch scatter{.ratio = ratio, .standard_error = std::sqrt(sum)};
  if (floors.a && floors.b && sum > 0) {
    const double share_a = in_a / sum;
    const double share_b = in_b / sum;
    scatter.degrees = 1 / (share_a * share_a / degrees(*a) + share_b * share_b / degrees(*b));
  } else {
    scatter.degrees = degrees(*a);
  }
  return scatter.interval(kConfidence);
}

}  // namespace labreport
