#include "analysis/detectable.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"

namespace labreport {

double detectable_ratio(const Welch& test, double level, double smallest_effect) {
  const double least = std::log1p(smallest_effect);
  if (test.standard_error == 0) return std::exp(least);
  const double critical = student_quantile(1 - level / 2, test.degrees);
  const double errors = noncentrality_for_power(critical, test.degrees, kPower);
  const double above_least = least + normal_quantile(kPower) * test.standard_error;
  return std::exp(std::max(errors * test.standard_error, above_least));
}

}  // namespace labreport
