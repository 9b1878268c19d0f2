#include "base/outliers.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace labreport {
namespace {

// In a normal distribution, seven median absolute deviations above the median are as far out as
// three interquartile ranges above the upper quartile. Unlike quartiles, the median absolute
// deviation stays meaningful even if almost half of the samples are outliers.
constexpr double kOutlierDeviations = 7;
constexpr double kOutlierRatio = 1.05;

}  // namespace

bool has_outlier(const std::vector<double>& times) {
  if (times.size() < 4) return false;
  const double median_time = median(times);
  std::vector<double> deviations;
  for (const double time : times) deviations.push_back(std::abs(time - median_time));
  const double longest = std::ranges::max(times);
  return longest - median_time > kOutlierDeviations * median(deviations) &&
         longest > kOutlierRatio * median_time;
}

std::vector<double> without_outlier(std::vector<double> times) {
  if (has_outlier(times)) times.erase(std::ranges::max_element(times));
  return times;
}

double typical_time(const std::vector<double>& times) { return mean(without_outlier(times)); }

}  // namespace labreport
