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

// Logarithms of equal medians can differ from their mean by this much; it does not count as
// variance.
constexpr double kRoundOff = 16 * std::numeric_limits<double>::epsilon();

std::vector<double> logs(std::span<const double> medians) {
  std::vector<double> logs;
  logs.reserve(medians.size());
  for (const double median : medians) {
    if (!(median > 0) || std::isinf(median)) throw Error("a launch's median is not above 0");
    logs.push_back(std::log(median));
  }
  return logs;
}

struct Side {
  double mean;
  double squared_error;  ///< Variance of the mean.
  double degrees;
};

Side side(std::span<const double> medians) {
  if (medians.size() < kLaunchesForInterval) throw Error("an interval needs two launches a side");
  const std::vector<double> values = logs(medians);
  const double center = mean(values);
  double deviation = sample_stddev(values);
  if (deviation <= kRoundOff * std::max(1.0, std::abs(center))) deviation = 0;
  const auto n = static_cast<double>(values.size());
  return {center, deviation * deviation / n, n - 1};
}

double satterthwaite(const Side& a, const Side& b) {
  const double sum = a.squared_error + b.squared_error;
  if (sum == 0) return a.degrees + b.degrees;
  // Shares of the sum are computed first, because squares of small variances would underflow.
  const double share_a = a.squared_error / sum;
  const double share_b = b.squared_error / sum;
  return 1 / (share_a * share_a / a.degrees + share_b * share_b / b.degrees);
}

}  // namespace

std::pair<double, double> Welch::interval(double confidence) const {
  const double reach =
      standard_error == 0 ? 0 : student_quantile((1 + confidence) / 2, degrees) * standard_error;
  return {ratio * std::exp(-reach), ratio * std::exp(reach)};
}

Welch welch(std::span<const double> a, std::span<const double> b) {
  const Side first = side(a);
  const Side second = side(b);
  double difference = second.mean - first.mean;
  Welch result;
  result.standard_error = std::sqrt(first.squared_error + second.squared_error);
  result.degrees = satterthwaite(first, second);
  if (result.standard_error == 0) {
    if (std::abs(difference) <= kRoundOff * std::max(1.0, std::abs(first.mean))) difference = 0;
    result.p = difference == 0 ? 1 : 0;
  } else {
    result.p = student_two_sided_p(difference / result.standard_error, result.degrees);
  }
  result.ratio = std::exp(difference);
  std::tie(result.lower, result.upper) = result.interval(kWelchConfidence);
  return result;
}

double ratio_of(std::span<const double> a, std::span<const double> b) {
  return std::exp(mean(logs(b)) - mean(logs(a)));
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  auto left = static_cast<double>(p_values.size());
  for (const std::size_t index : order) {
    largest = std::max(largest, std::min(1.0, left * p_values[index]));
    adjusted[index] = largest;
    --left;
  }
  return adjusted;
}

double detectable_ratio(const Welch& test, double level, double smallest_effect) {
  const double least = std::log1p(smallest_effect);
  if (test.standard_error == 0) return std::exp(least);
  const double critical = student_quantile(1 - level / 2, test.degrees);
  const double errors = noncentrality_for_power(critical, test.degrees, kPower);
  const double above_least = least + normal_quantile(kPower) * test.standard_error;
  return std::exp(std::max(errors * test.standard_error, above_least));
}

}  // namespace labreport
