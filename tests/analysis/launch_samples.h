// Medians of launches from known distributions.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "analysis/verdict.h"

namespace labreport {

class LaunchSamples {
 public:
  explicit LaunchSamples(std::uint64_t seed) : random_(seed) {}

  /// `count` medians around `center`, normal in their logarithms.
  std::vector<double> draw(std::size_t count, double center, double log_stddev) {
    std::normal_distribution<double> normal(0, log_stddev);
    std::vector<double> medians(count);
    for (double& median : medians) median = center * std::exp(normal(random_));
    return medians;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  /// Rows of every size and noise, with true ratios about 1.
  std::vector<RowSample> rows(std::size_t count) {
    std::vector<RowSample> rows;
    for (std::size_t row = 0; row < count; ++row) {
      const double center = uniform(1e5, 1e9);
      const auto launches = static_cast<std::size_t>(uniform(3, 9));
      const double ratio = uniform(0.9, 1.1);
      rows.push_back({draw(launches, center, uniform(0.001, 0.03)),
                      draw(launches, center * ratio, uniform(0.001, 0.03))});
    }
    return rows;
  }

  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

}  // namespace labreport
