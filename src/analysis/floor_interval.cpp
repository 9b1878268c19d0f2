#include "analysis/floor_interval.h"

#include <cmath>

#include "analysis/welch.h"

namespace labreport {
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
