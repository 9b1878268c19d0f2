// Computes ratios of means and judges whether they differ.
#pragma once

#include <optional>
#include <vector>

namespace labreport {

/// A ratio of two means. Its deviation combines those of both sides' samples, to first order.
struct Ratio {
  double value = 0;
  double deviation = 0;
};

/// Returns nothing if a side has no samples or the denominator's mean is not positive.
std::optional<Ratio> ratio_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator);

/// Samples are steady if their coefficient of variation is at most this.
inline constexpr double kSteadyBelow = 0.05;

/// The coefficient of variation; nothing for fewer than two samples.
std::optional<double> variation_of(const std::vector<double>& samples);

/// True if the ratio is below `limit` by more than its own deviation.
bool clearly_below(const Ratio& ratio, double limit);

/// The trend of ratios from the smallest size to the largest.
enum class Trend {
  kGrows,    ///< The last is clearly above the first, and no ratio is clearly below the one before.
  kUneven,   ///< The lowest and the highest differ beyond the deviations, but not as in kGrows.
  kAlike,    ///< All ratios are equal to two decimals.
  kUnclear,  ///< The deviations hide whether the ratios differ.
};

/// Returns kAlike for fewer than two ratios.
Trend trend_of(const std::vector<Ratio>& ratios);

}  // namespace labreport
