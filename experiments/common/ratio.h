// Computes ratios of times and judges whether they differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace labreport {

/// A ratio of two times. Its standard deviation follows to first order from those of the samples.
struct Ratio {
  double value = 0;
  double deviation = 0;

  /// True if the ratio differs from 1 by more than its deviation. Only then does an answer call one
  /// of the two times shorter.
  bool is_clear() const;
  /// True if the ratio is clear and its deviation is at most a tenth of it. Else a sentence gives
  /// the deviation, too.
  bool is_certain() const;
};

/// Divides the times by `typical_time`. Deviations leave an outlier out. Returns nothing without
/// samples or if the denominator is not positive.
std::optional<Ratio> ratio_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator);

/// Names the mean that ratios use, because of an outlier: "mean of forward without it 45.96 ms".
/// Returns nothing without an outlier.
std::vector<std::string> outlier_remark(const std::string& pass,
                                        const std::vector<double>& times_ms);

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
