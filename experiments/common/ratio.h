// Computes ratios of means and judges whether they differ.
#pragma once

#include <optional>
#include <vector>

namespace labreport {

/// A ratio of two means; its deviation follows from theirs to first order.
struct Ratio {
  double value = 0;
  double deviation = 0;
};

/// Returns nothing if either side has no samples.
std::optional<Ratio> ratio_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator);

/// Samples whose coefficient of variation is at most this are steady.
inline constexpr double kSteadyBelow = 0.05;

/// The coefficient of variation; nothing for fewer than two samples.
std::optional<double> variation_of(const std::vector<double>& samples);

/// True if the ratio is below `limit` by more than its own deviation.
bool clearly_below(const Ratio& ratio, double limit);

/// The trend of ratios from the smallest size to the largest.
enum class Trend {
  kGrows,    ///< Grows from first to last beyond the deviations and never clearly falls.
  kUneven,   ///< Differs beyond the deviations without growing steadily.
  kAlike,    ///< Equal to two decimals at every size.
  kUnclear,  ///< The deviations hide whether they differ.
};

/// Returns kAlike for fewer than two ratios.
Trend trend_of(const std::vector<Ratio>& ratios);

}  // namespace labreport
