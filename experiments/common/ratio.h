// Computes ratios of times and judges whether they differ.
#pragma once

#include <optional>
#include <vector>

namespace labreport {

/// A ratio of two times. Its standard deviation follows to first order from those of the samples.
struct Ratio {
  double value = 0;
  double deviation = 0;
};

/// Divides the times by `typical_time`. Deviations leave out an outlier. Returns nothing without
/// samples or if the denominator is not positive.
std::optional<Ratio> ratio_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator);

/// The largest coefficient of variation at which samples count as steady.
inline constexpr double kSteadyUpTo = 0.05;

/// Returns the coefficient of variation; nothing for fewer than two samples.
std::optional<double> variation_of(const std::vector<double>& samples);

/// The trend of ratios from the smallest size to the largest.
enum class Trend {
  kGrows,    ///< The last is clearly above the first, and none is clearly below its predecessor.
  kUneven,   ///< The lowest and the highest differ clearly, but the ratios do not grow.
  kAlike,    ///< All ratios are equal to two decimals.
  kUnclear,  ///< The ratios differ by no more than their deviations.
};

/// Returns kAlike for fewer than two ratios.
Trend trend_of(const std::vector<Ratio>& ratios);

}  // namespace labreport
