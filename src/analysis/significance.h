// Whether launches of two sides differ, and by what change they would have been told apart.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

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

/// Adjusted p-values, in the order given: rejecting what is below α keeps the probability of any
/// false rejection at α or less, whatever the tests' dependence. S. Holm, "A simple sequentially
/// rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), 65–70.
/// Each p-value's result depends on the others' values, never on their order.
std::vector<double> holm(std::span<const double> p_values);

inline constexpr double kPower = 0.9;

/// The smallest ratio above 1 that launches which vary like these are said to differ by with a
/// probability of `kPower`; its reciprocal is the same in the other direction. `level` is that of
/// the row's two-sided test: alpha / m, Holm's first step, is cautious, since later steps are
/// wider. From the non-central t distribution: the difference of logarithms δ with
/// P(T'(ν, δ / s) > t(1 − level / 2, ν)) = `kPower`, s and ν being those of `test`; and at least so
/// large that the estimate exceeds `smallest_effect` (a ratio minus 1) as often. Infinite where it
/// is too large to be written.
double detectable_ratio(const Welch& test, double level, double smallest_effect);

}  // namespace labreport
