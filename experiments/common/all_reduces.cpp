#include "experiments/common/all_reduces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

/// Marks sizes that took longer than a larger size. `timings` must be sorted by size.
void mark_disturbed(std::vector<AllReduceTiming>& timings) {
  constexpr double kMaxRatio = 1.1;  // Latencies vary by up to a tenth without a disturbance.
  double shortest_larger_ns = std::numeric_limits<double>::infinity();
  for (AllReduceTiming& timing : timings | std::views::reverse) {
    timing.disturbed = timing.slowest_ns > kMaxRatio * shortest_larger_ns;
    shortest_larger_ns = std::min(shortest_larger_ns, timing.slowest_ns);
  }
}

double relative_error(const FittedLine& line, const AllReduceTiming& timing) {
  return std::abs(line.predicted_ns(timing.bytes) - timing.slowest_ns) / timing.slowest_ns;
}

/// Minimizes the sum of `weights[i]` times the squared relative error of `timings[i]`.
FittedLine weighted_line(const std::vector<AllReduceTiming>& timings,
                         const std::vector<double>& weights) {
  double weight_sum = 0, size_sum = 0, square_sum = 0, time_sum = 0, product_sum = 0;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const auto size = static_cast<double>(timings[i].bytes);
    const double ns = timings[i].slowest_ns, weight = weights[i] / (ns * ns);
    weight_sum += weight, size_sum += weight * size, square_sum += weight * size * size;
    time_sum += weight * ns, product_sum += weight * size * ns;
  }
  const double determinant = weight_sum * square_sum - size_sum * size_sum;
  const double slope = (weight_sum * product_sum - size_sum * time_sum) / determinant;
  return {(time_sum - slope * size_sum) / weight_sum, 1e9 / slope};
}

}  // namespace

std::optional<FittedLine> line_through(const std::vector<AllReduceTiming>& timings) {
  // Weights of 1/|error| turn the least squares into least absolute errors, round by round.
  constexpr int kRounds = 50;
  constexpr double kMinError = 1e-6;
  if (timings.size() < 3) return std::nullopt;
  std::vector<double> weights(timings.size(), 1);
  FittedLine line;
  for (int round = 0; round < kRounds; ++round) {
    line = weighted_line(timings, weights);
    for (std::size_t i = 0; i < timings.size(); ++i) {
      weights[i] = 1 / std::max(kMinError, relative_error(line, timings[i]));
    }
  }
  const double slope = 1e9 / line.bytes_per_second;
  if (!(line.latency_ns > 0) || !(slope > 0) || !std::isfinite(line.bytes_per_second)) {
    return std::nullopt;
  }
  for (const AllReduceTiming& timing : timings) {
    line.largest_relative_error =
        std::max(line.largest_relative_error, relative_error(line, timing));
  }
  return line;
}

std::string AllReduceGroup::words() const {
  return fmt::format("{}, {} ranks", library(), ranks());
}

std::vector<AllReduceTiming> AllReduceGroup::timings(std::string_view method) const {
  std::map<std::int64_t, AllReduceTiming> by_size;
  const Launch* launch = ok_launch(*cell);
  if (launch == nullptr) return {};
  for (const MeasuredRow& row : measured_rows(*launch, metric::kAllReduce)) {
    if (row.text(column::kMethod) != method) continue;
    const auto size = row.number(column::kBytes), mean = row.number(column::kMeanNs);
    const auto lag = row.number(column::kLagNs);
    if (!size || !mean || !lag) continue;
    const auto bytes = static_cast<std::int64_t>(*size);
    const double typical_ns = row.number(column::kMedianNs).value_or(*mean);
    AllReduceTiming& timing = by_size[bytes];  // Each rank has a row of its own.
    timing.bytes = bytes;
    timing.calls = static_cast<std::int64_t>(row.number(column::kCount).value_or(0));
    timing.fastest_ns =
        timing.slowest_ns == 0 ? typical_ns : std::min(timing.fastest_ns, typical_ns);
    timing.slowest_ns = std::max(timing.slowest_ns, typical_ns);
    timing.start_lag_ns = std::max(timing.start_lag_ns, *lag);
    timing.wrong_elements += static_cast<std::int64_t>(row.number(column::kWrong).value_or(0));
    if (*mean <= timing.mean_ns) continue;
    timing.mean_ns = *mean;
    timing.deviation_ns = row.number(column::kStddevNs);
  }
  std::vector<AllReduceTiming> timings;
  for (const auto& [bytes, timing] : by_size) {
    if (timing.slowest_ns > 0) timings.push_back(timing);
  }
  mark_disturbed(timings);
  return timings;
}

bool AllReduceGroup::is_bandwidth_bound(std::int64_t bytes) const {
  constexpr double kMinRatio = 2;
  const auto line = line_through(fitted_timings());
  return line && line->predicted_ns(bytes) >= (1 + kMinRatio) * line->latency_ns;
}

std::optional<AllReduceTiming> AllReduceGroup::usable_timing(std::string_view method,
                                                             std::int64_t bytes) const {
  for (const AllReduceTiming& timing : timings(method)) {
    if (timing.bytes == bytes && !timing.disturbed && timing.wrong_elements == 0) return timing;
  }
  return std::nullopt;
}

std::string_view AllReduceGroup::fitted_method() const {
  return timings(metric::kInPlace).empty() ? metric::kSynced : metric::kInPlace;
}

std::vector<AllReduceGroup> all_reduce_groups(const RunView& view) {
  std::vector<AllReduceGroup> groups;
  for (const Cell* cell : view.cells(CellKind::kAllReduce)) {
    groups.push_back({cell, reason_missing(*cell)});
  }
  return groups;
}

std::string library_text(const Launch& launch, std::string_view name) {
  const Metric* condition = launch.find_condition(metric::kCollectives, name);
  const auto* scalar = condition == nullptr ? nullptr : std::get_if<Scalar>(&condition->data);
  const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
  return text == nullptr ? "" : *text;
}

}  // namespace labreport
