#include "experiments/distributed_communication_single_node/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>

#include "results/measured_table.h"
#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport::distributed_communication_single_node {
namespace {

/// Marks sizes that took longer than a larger size. `timings` must be sorted by size.
void mark_disturbed(std::vector<Timing>& timings) {
  constexpr double kLonger = 1.1;  // latencies vary by up to a tenth undisturbed
  double larger_ns = std::numeric_limits<double>::infinity();
  for (Timing& timing : timings | std::views::reverse) {
    timing.disturbed = timing.ns > kLonger * larger_ns;
    larger_ns = std::min(larger_ns, timing.ns);
  }
}

double relative_error(const Line& line, const Timing& timing) {
  return std::abs(line.ns(timing.bytes) - timing.ns) / timing.ns;
}

/// Fits the line by least squares of relative errors, each weighted by its `trust`.
Line weighted_line(const std::vector<Timing>& timings, const std::vector<double>& trust) {
  double weights = 0, sizes = 0, squares = 0, times = 0, products = 0;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const auto size = static_cast<double>(timings[i].bytes);
    const double weight = trust[i] / (timings[i].ns * timings[i].ns);
    weights += weight, sizes += weight * size, squares += weight * size * size;
    times += weight * timings[i].ns, products += weight * size * timings[i].ns;
  }
  const double determinant = weights * squares - sizes * sizes;
  const double slope = (weights * products - sizes * times) / determinant;
  return {(times - slope * sizes) / weights, 1e9 / slope};
}

}  // namespace

std::optional<Line> line_through(std::vector<Timing> timings) {
  constexpr int kRounds = 50;  // reweighting turns least squares into least absolute errors
  constexpr double kExact = 1e-6;
  std::erase_if(timings, [](const Timing& timing) { return timing.disturbed; });
  if (timings.size() < 3) return std::nullopt;
  std::vector<double> trust(timings.size(), 1);
  Line line;
  for (int round = 0; round < kRounds; ++round) {
    line = weighted_line(timings, trust);
    for (std::size_t i = 0; i < timings.size(); ++i) {
      trust[i] = 1 / std::max(kExact, relative_error(line, timings[i]));
    }
  }
  const double slope = 1e9 / line.bytes_per_second;
  if (!(line.latency_ns > 0) || !(slope > 0) || !std::isfinite(line.bytes_per_second)) {
    return std::nullopt;
  }
  for (const Timing& timing : timings) {
    line.largest_error = std::max(line.largest_error, relative_error(line, timing));
  }
  return line;
}

std::string Group::words() const { return fmt::format("{}, {} ranks", library(), ranks()); }

std::vector<Timing> Group::timings(std::string_view method) const {
  std::map<std::int64_t, Timing> by_size;
  const Launch* launch = ok_launch(*cell);
  if (launch == nullptr) return {};
  for (const MeasuredRow& row : measured_rows(*launch, metric::kAllReduce)) {
    if (row.text(column::kMethod) != method) continue;
    const auto size = row.number(column::kBytes), mean = row.number(column::kMeanNs);
    const auto lag = row.number(column::kLagNs);
    if (!size || !mean || !lag) continue;
    const auto bytes = static_cast<std::int64_t>(*size);
    const double typical = row.number(column::kMedianNs).value_or(*mean);
    Timing& timing = by_size[bytes];  // each rank has its own row
    timing.bytes = bytes;
    timing.calls = static_cast<std::int64_t>(row.number(column::kCount).value_or(0));
    timing.fastest_ns = timing.ns == 0 ? typical : std::min(timing.fastest_ns, typical);
    timing.ns = std::max(timing.ns, typical);
    timing.lag_ns = std::max(timing.lag_ns, *lag);
    timing.wrong += static_cast<std::int64_t>(row.number(column::kWrong).value_or(0));
    if (*mean <= timing.mean_ns) continue;
    timing.mean_ns = *mean;
    timing.deviation_ns = row.number(column::kStddevNs);
  }
  std::vector<Timing> timings;
  for (const auto& [bytes, timing] : by_size) {
    if (timing.ns > 0) timings.push_back(timing);
  }
  mark_disturbed(timings);
  return timings;
}

std::optional<Timing> Group::synced(std::int64_t bytes) const {
  for (const Timing& timing : timings(metric::kSynced)) {
    if (timing.bytes == bytes) return timing;
  }
  return std::nullopt;
}

std::optional<Timing> Group::undisturbed(std::int64_t bytes) const {
  const auto timing = synced(bytes);
  return timing && !timing->disturbed ? timing : std::nullopt;
}

std::string_view Group::swept_method() const {
  return timings(metric::kInPlace).empty() ? metric::kSynced : metric::kInPlace;
}

std::vector<Group> groups_of(const RunView& view) {
  std::vector<Group> groups;
  for (const Cell* cell : view.cells(CellKind::kAllReduce)) {
    groups.push_back({cell, reason_missing(*cell)});
  }
  return groups;
}

std::string collectives_condition(const Launch& launch, std::string_view name) {
  const Metric* condition = launch.find_condition(metric::kCollectives, name);
  const auto* scalar = condition == nullptr ? nullptr : std::get_if<Scalar>(&condition->data);
  const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
  return text == nullptr ? "" : *text;
}

}  // namespace labreport::distributed_communication_single_node
