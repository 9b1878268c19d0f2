// Probability distributions for tests and intervals, computed by Boost.Math.
#pragma once

namespace labreport {

/// Returns P(|T| > |t|) for Student's t. `degrees` > 0 degrees of freedom need not be whole.
double student_two_sided_p(double t, double degrees);

/// Returns the t for which P(T ≤ t) = `probability`, in (0, 1).
double student_quantile(double probability, double degrees);

/// Returns the z for which P(Z ≤ z) = `probability`, in (0, 1), in the standard normal
/// distribution.
double normal_quantile(double probability);

/// Returns the non-centrality parameter for which P(T' > t) = `power`, in [0.5, 1): the difference,
/// in standard errors, that a t-test with the critical value `t` > 0 detects with that probability.
double noncentrality_for_power(double t, double degrees, double power);

}  // namespace labreport
