// Many tests at once: p-values adjusted so that all of them together rarely lie.
#pragma once

#include <span>
#include <vector>

namespace labreport {

/// Adjusted p-values, in the order given: rejecting what is below α keeps the probability of any
/// false rejection at α or less, whatever the tests' dependence. S. Holm, "A simple sequentially
/// rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), 65–70.
/// Each p-value's result depends on the others' values, never on their order.
std::vector<double> holm(std::span<const double> p_values);

/// The level that one more p-value beside `others` has to be below for `holm` to reject it at
/// `alpha`: alpha / (m − k), where the k smallest of the others are rejected before it.
double holm_level(std::span<const double> others, double alpha);

}  // namespace labreport
