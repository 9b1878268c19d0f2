#include "analysis/holm.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace labreport {

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  auto left = static_cast<double>(p_values.size());
  for (const std::size_t index : order) {
    largest = std::max(largest, std::min(1.0, left * p_values[index]));
    adjusted[index] = largest;
    --left;
  }
  return adjusted;
}

double holm_level(std::span<const double> others, double alpha) {
  std::vector<double> sorted(others.begin(), others.end());
  std::sort(sorted.begin(), sorted.end());
  auto left = static_cast<double>(sorted.size() + 1);
  for (const double p : sorted) {
    if (p * left >= alpha) break;
    --left;
  }
  return alpha / left;
}

}  // namespace labreport
