// Computes descriptive statistics of samples.
#pragma once

#include <span>

namespace labreport {

/// Every member but `count` has the unit of the samples.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double stddev = 0;  ///< Sample standard deviation (n − 1); 0 for fewer than two samples.
  double min = 0;
  double median = 0;
  double max = 0;

  /// Returns stddev / mean; 0 if the mean is 0.
  double coefficient_of_variation() const;
};

double mean(std::span<const double> samples);
double sample_stddev(std::span<const double> samples);

/// Returns the `p`-quantile, interpolated linearly between order statistics (Hyndman and Fan 1996,
/// type 7). `p` is in [0, 1]; `samples` must not be empty and may be in any order.
double quantile(std::span<const double> samples, double p);
double median(std::span<const double> samples);

/// Throws `Error` if there are no samples.
Summary summarize(std::span<const double> samples);

}  // namespace labreport
