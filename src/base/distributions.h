// Probability distributions that tests and intervals rest on; the arithmetic is Boost.Math's.
#pragma once

namespace labreport {

/// P(|T| > |t|) of Student's t with `degrees` > 0 degrees of freedom, which need not be whole.
double student_two_sided_p(double t, double degrees);

/// The t with P(T ≤ t) = `probability`, in (0, 1).
double student_quantile(double probability, double degrees);

/// The z with P(Z ≤ z) = `probability`, in (0, 1), of the standard normal distribution.
double normal_quantile(double probability);

/// The non-centrality with P(T' > t) = `power` (in [0.5, 1)): how many standard errors a difference
/// has to be for a t-test with the critical value `t` > 0 to find it that often.
double noncentrality_for_power(double t, double degrees, double power);

}  // namespace labreport
