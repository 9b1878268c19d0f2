#include "base/distributions.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

namespace labreport {
namespace {

// Boost computes with long double by default. Doubles are precise enough for a probability, and
// several times as fast. A result that cannot be computed is infinite or NaN, and Boost throws
// nothing.
namespace policies = boost::math::policies;
using Policy = policies::policy<policies::promote_double<false>,
                                policies::overflow_error<policies::ignore_error>,
                                policies::evaluation_error<policies::ignore_error>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using StudentT = boost::math::students_t_distribution<double, Policy>;
using NoncentralT = boost::math::non_central_t_distribution<double, Policy>;

constexpr int kSolverBits =
    20;  // The solver finds this many correct bits, about six decimal digits.

}  // namespace

double student_two_sided_p(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return std::min(1.0, 2 * cdf(complement(StudentT(degrees), std::abs(t))));
}

double student_quantile(double probability, double degrees) {
  return quantile(StudentT(degrees), probability);
}

double normal_quantile(double probability) { return quantile(Normal(), probability); }

double noncentrality_for_power(double t, double degrees, double power) {
  const auto missing_power = [&](double noncentrality) {
    return cdf(NoncentralT(degrees, noncentrality), t) - (1 - power);
  };
  double low = 0;
  double high = 2 * t + 2;
  while (missing_power(high) > 0) {
    low = high;
    high *= 2;
  }
  std::uintmax_t max_iterations = 100;
  const auto [below, above] = boost::math::tools::toms748_solve(
      missing_power, low, high, boost::math::tools::eps_tolerance<double>(kSolverBits),
      max_iterations);
  return (below + above) / 2;
}

}  // namespace labreport
