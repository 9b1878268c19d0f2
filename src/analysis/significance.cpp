#include "analysis/significance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/distributions.h"
#include "base/error.h"
#include "base/statistics.h"

namespace labreport {
namespace {

constexpr double kWelchConfidence = 0.95;

// By rounding alone, the mean of equal logarithms may differ from them by this fraction.
constexpr double kRoundOff = 16 * std::numeric_limits<double>::epsilon();

std::vector<double> logarithms(std::span<const double> medians) {
  std::vector<double> logs;
  logs.reserve(medians.size());
  for (const double median : medians) {
    if (!(median > 0) || std::isinf(median)) throw Error("a launch's median is not above 0");
    logs.push_back(std::log(median));
  }
  return logs;
}

/// Statistics of the logarithms of one side's medians.
struct LogStatistics {
  double mean;
  double variance_of_mean;
  double degrees_of_freedom;
};

LogStatistics log_statistics(std::span<const double> medians) {
  if (medians.size() < kLaunchesForInterval) throw Error("an interval needs two launches a side");
  const std::vector<double> values = logarithms(medians);
  const double center = mean(values);
  double deviation = sample_stddev(values);
  if (deviation <= kRoundOff * std::max(1.0, std::abs(center))) deviation = 0;
  const auto n = static_cast<double>(values.size());
  return {center, deviation * deviation / n, n - 1};
}

double satterthwaite_degrees(const LogStatistics& a, const LogStatistics& b) {
  const double sum = a.variance_of_mean + b.variance_of_mean;
  if (sum == 0) return a.degrees_of_freedom + b.degrees_of_freedom;
  // The variances are divided by their sum first, because squares of small variances underflow.
  const double fraction_a = a.variance_of_mean / sum;
  const double fraction_b = b.variance_of_mean / sum;
  return 1 / (fraction_a * fraction_a / a.degrees_of_freedom +
              fraction_b * fraction_b / b.degrees_of_freedom);
}

}  // namespace

std::pair<double, double> WelchTest::interval(double confidence) const {
  const double half_width =
      standard_error == 0
          ? 0
          : student_quantile((1 + confidence) / 2, degrees_of_freedom) * standard_error;
  return {ratio * std::exp(-half_width), ratio * std::exp(half_width)};
}

WelchTest welch_test(std::span<const double> a, std::span<const double> b) {
  const LogStatistics first = log_statistics(a);
  const LogStatistics second = log_statistics(b);
  double difference = second.mean - first.mean;
  WelchTest result;
  result.standard_error = std::sqrt(first.variance_of_mean + second.variance_of_mean);
  result.degrees_of_freedom = satterthwaite_degrees(first, second);
  if (result.standard_error == 0) {
    if (std::abs(difference) <= kRoundOff * std::max(1.0, std::abs(first.mean))) difference = 0;
    result.p_value = difference == 0 ? 1 : 0;
  } else {
    result.p_value =
        student_two_sided_p(difference / result.standard_error, result.degrees_of_freedom);
  }
  result.ratio = std::exp(difference);
  std::tie(result.lower, result.upper) = result.interval(kWelchConfidence);
  return result;
}

double ratio_of(std::span<const double> a, std::span<const double> b) {
  return std::exp(mean(logarithms(b)) - mean(logarithms(a)));
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double running_maximum = 0;
  auto tests_left = static_cast<double>(p_values.size());
  for (const std::size_t index : order) {
    running_maximum = std::max(running_maximum, std::min(1.0, tests_left * p_values[index]));
    adjusted[index] = running_maximum;
    --tests_left;
  }
  return adjusted;
}

double detectable_ratio(const WelchTest& test, double level, double smallest_effect) {
  const double smallest_log_effect = std::log1p(smallest_effect);
  if (test.standard_error == 0) return std::exp(smallest_log_effect);
  const double critical = student_quantile(1 - level / 2, test.degrees_of_freedom);
  const double by_test =
      noncentrality_for_power(critical, test.degrees_of_freedom, kPower) * test.standard_error;
  const double by_effect = smallest_log_effect + normal_quantile(kPower) * test.standard_error;
  return std::exp(std::max(by_test, by_effect));
}

}  // namespace labreport
