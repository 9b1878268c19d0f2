// Tests whether the launches of two sides differ, and computes the smallest change that they could
// show.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace labreport {

inline constexpr std::size_t kLaunchesForInterval = 2;  ///< launches on each side

/// Welch's t-test: B. L. Welch, "The generalization of 'Student's' problem when several different
/// population variances are involved", Biometrika 34 (1947), doi:10.1093/biomet/34.1-2.28. Its
/// degrees of freedom: F. E. Satterthwaite, "An approximate distribution of estimates of variance
/// components", Biometrics Bulletin 2 (1946), doi:10.2307/3002019.
struct Welch {
  double ratio = 1;  ///< b / a of the geometric means.
  double lower = 1;  ///< Lower end of the ratio's two-sided 95 % interval.
  double upper = 1;  ///< Upper end of that interval.
  double p = 1;      ///< Two-sided, for the hypothesis that the ratio is 1.
  double degrees = 0;
  double standard_error = 0;  ///< Standard error of log(ratio); 0 if neither side varies.

  /// Returns the ratio's two-sided interval at a confidence in (0, 1).
  std::pair<double, double> interval(double confidence) const;
};

/// Tests medians in any unit, all above 0, at least two on each side; throws `Error` otherwise. If
/// neither side varies, the interval is the ratio itself, and p is 1 for equal sides and 0 for
/// others.
Welch welch(std::span<const double> a, std::span<const double> b);

/// Returns b / a of the geometric means. Each side needs at least one median, all above 0.
double ratio_of(std::span<const double> a, std::span<const double> b);

/// Returns adjusted p-values in the given order. Rejecting those below α keeps the probability of
/// any false rejection at α or less, however the tests depend on each other. S. Holm, "A simple
/// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979),
/// 65–70. The result of a p-value depends on the values of the others, not on their order.
std::vector<double> holm(std::span<const double> p_values);

inline constexpr double kPower = 0.9;

/// Returns the smallest true ratio above 1 that is found with probability `kPower` if launches vary
/// as in `test`; a decrease needs its reciprocal. `level` is the significance level of the
/// two-sided test; alpha / m, Holm's first step for m tests, is the cautious choice. The
/// non-central t distribution gives the difference of logarithms δ, with s and ν of `test`, from
/// P(T'(ν, δ / s) > t(1 − level / 2, ν)) = `kPower`. The ratio is also large enough that the
/// estimate exceeds `smallest_effect` (a ratio minus 1) with that probability. Infinite if a double
/// cannot hold it.
double detectable_ratio(const Welch& test, double level, double smallest_effect);

}  // namespace labreport
