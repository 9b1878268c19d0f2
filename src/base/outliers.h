// Keeps a step that something outside the program stalled out of comparisons.
#pragma once

#include <vector>

namespace labreport {

/// True if the longest time exceeds the median both by more than 5 % and by more than seven median
/// absolute deviations. False for fewer than four times.
bool has_outlier(const std::vector<double>& times);

/// Returns the times without the longest one, if that is an outlier. Several long times are spread,
/// which stays.
std::vector<double> without_outlier(std::vector<double> times);

/// Returns the time of a step that all comparisons use, such as speedups, utilization, summaries
/// and pages over several runs: the mean without an outlier, so that both sides of a ratio are
/// means. Rows flag outliers. Throws `Error` if there are no times.
double typical_time(const std::vector<double>& times);

}  // namespace labreport
