// Two groups of launches compared by Welch's t on the logarithms of their medians.
//
// Samples of one process are not independent, so a launch counts as one: its median. Logarithms
// make a ratio a difference, whose error is symmetric, and whose scale does not depend on the unit.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace labreport {

inline constexpr std::size_t kLaunchesForInterval = 2;  ///< a side

/// B. L. Welch, "The generalization of 'Student's' problem when several different population
/// variances are involved", Biometrika 34 (1947), doi:10.1093/biomet/34.1-2.28; degrees of freedom
/// by F. E. Satterthwaite, "An approximate distribution of estimates of variance components",
/// Biometrics Bulletin 2 (1946), doi:10.2307/3002019.
struct Welch {
  double ratio = 1;  ///< b / a, of the geometric means.
  double lower = 1;  ///< Of the ratio's two-sided 95 % interval …
  double upper = 1;  ///< … and its other end.
  double p = 1;      ///< Two-sided, of the hypothesis that the ratio is 1.
  double degrees = 0;
  double standard_error = 0;  ///< Of log(ratio); 0 where neither side varies.

  /// The ratio's two-sided interval of that confidence, in (0, 1).
  std::pair<double, double> interval(double confidence) const;
};

/// Medians in any unit, all above 0, at least two a side; throws `Error` otherwise. Where neither
/// side varies the interval is the ratio itself, and p is 1 for equal sides and 0 for others.
Welch welch(std::span<const double> a, std::span<const double> b);

/// b / a of the geometric means: at least one median a side, all above 0.
double ratio_of(std::span<const double> a, std::span<const double> b);

}  // namespace labreport
