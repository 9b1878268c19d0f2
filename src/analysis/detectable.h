// Which change a comparison could have found, had it been there.
#pragma once

#include "analysis/welch.h"

namespace labreport {

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
