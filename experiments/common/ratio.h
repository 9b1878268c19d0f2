// Ratios of means, and what may be said of them.
#pragma once

#include <optional>
#include <vector>

namespace labreport {

/// A ratio of two means; its deviation follows from theirs to first order.
struct Ratio {
  double value = 0;
  double deviation = 0;
};

/// Nothing where either side has no samples.
std::optional<Ratio> ratio_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator);

/// Samples whose coefficient of variation is at most this are steady.
inline constexpr double kSteadyBelow = 0.05;

/// The coefficient of variation; nothing of fewer than two samples.
std::optional<double> variation_of(const std::vector<double>& samples);

/// They differ by more than their deviations, added as those of independent numbers are.
bool apart(const Ratio& a, const Ratio& b);

/// Below `limit` by more than its own deviation.
bool clearly_below(const Ratio& ratio, double limit);

/// How ratios go along with size, smallest first.
enum class Trend {
  kGrows,    ///< From first to last beyond the deviations, falling clearly nowhere between.
  kUneven,   ///< They differ beyond the deviations, but do not grow like that.
  kAlike,    ///< The same to two decimals at every size.
  kUnclear,  ///< The deviations hide whether they differ.
};

/// Of at least two ratios; fewer are alike.
Trend trend_of(const std::vector<Ratio>& ratios);

}  // namespace labreport
