#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace labreport {
namespace {

double sorted_quantile(const std::vector<double>& sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

std::vector<double> sorted_copy(std::span<const double> samples) {
  if (samples.empty()) throw Error("statistics of no samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double Summary::coefficient_of_variation() const { return mean == 0 ? 0 : stddev / mean; }

double mean(std::span<const double> samples) {
  if (samples.empty()) throw Error("mean of no samples");
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double sample_stddev(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const double sample_mean = mean(samples);
  double sum_of_squares = 0;
  for (const double x : samples) sum_of_squares += (x - sample_mean) * (x - sample_mean);
  return std::sqrt(sum_of_squares / static_cast<double>(samples.size() - 1));
}

double quantile(std::span<const double> samples, double p) {
  return sorted_quantile(sorted_copy(samples), p);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

Summary summarize(std::span<const double> samples) {
  const std::vector<double> sorted = sorted_copy(samples);
  return {.count = samples.size(),
          .mean = mean(samples),
          .stddev = sample_stddev(samples),
          .min = sorted.front(),
          .median = sorted_quantile(sorted, 0.5),
          .max = sorted.back()};
}

}  // namespace labreport
