// Tests whether the times of two sides differ, and computes the smallest difference that the test
// can find.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace labreport {

/// An interval needs this many launches on each side.
inline constexpr std::size_t kLaunchesForInterval = 2;

/// Welch's t-test of the logarithms: B. L. Welch, "The generalization of 'Student's' problem when
/// several different population variances are involved", Biometrika 34 (1947),
/// doi:10.1093/biomet/34.1-2.28. Its degrees of freedom: F. E. Satterthwaite, "An approximate
/// distribution of estimates of variance components", Biometrics Bulletin 2 (1946),
/// doi:10.2307/3002019.
struct WelchTest {
  double ratio = 1;    ///< B ÷ A of the geometric means.
  double lower = 1;    ///< Lower end of the ratio's two-sided 95 % interval.
  double upper = 1;    ///< Upper end of that interval.
  double p_value = 1;  ///< Two-sided, for the hypothesis that the ratio is 1.
  double degrees_of_freedom = 0;
  double standard_error = 0;  ///< Standard error of log(ratio); 0 if neither side varies.

  /// Returns the ratio's two-sided interval at a confidence in (0, 1).
  std::pair<double, double> interval(double confidence) const;
};

/// Tests the values of launches, in any unit. Throws `Error` unless each side has two or more and
/// all are above 0. If neither side varies, the interval is the ratio itself, and p is 1 for equal
/// sides and 0 for others.
WelchTest welch_test(std::span<const double> a, std::span<const double> b);

/// Returns B ÷ A of the geometric means. Each side needs at least one value, all above 0.
double ratio_of(std::span<const double> a, std::span<const double> b);

/// Returns Holm's adjusted p-values in the given order. Rejecting those below α keeps the
/// probability of any false rejection at α or less, however the tests depend on each other. S.
/// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6 (1979), 65–70. An adjusted p-value depends on the values of the others, not on
/// their order.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// The probability with which a test finds a detectable ratio.
inline constexpr double kPower = 0.9;

/// Returns the smallest true ratio above 1 that a test finds with probability `kPower` if launches
/// vary as in `test`. A decrease is found from the reciprocal on. `level` is the significance level
/// of the two-sided test; the cautious choice for m tests is alpha / m, Holm's first step. The
/// logarithm δ of the ratio solves P(T'(ν, δ / s) > t(1 − level / 2, ν)) = `kPower`, where T' has
/// the non-central t distribution, s is the standard error and ν the degrees of freedom of `test`.
/// The ratio is also large enough that the estimate exceeds `smallest_effect` (a ratio minus 1)
/// with that probability. Infinite if a double cannot hold it.
double detectable_ratio(const WelchTest& test, double level, double smallest_effect);

}  // namespace labreport
