// Bounds of what a run may hold. They are far above what was ever recorded and low enough for every
// writer. They are checked when a run is loaded, and before it is measured or imported.
#pragma once

#include <cstddef>
#include <cstdint>

namespace labreport {

/// The largest magnitude of an integer: a count, nanoseconds or bytes.
inline constexpr std::int64_t kMostInteger = 10'000'000'000'000'000;
inline constexpr double kMostReal = 1e18;
/// The least magnitude of a real number but 0, just below FP32's. Ratios within bounds are finite.
inline constexpr double kLeastReal = 1e-45;
/// The largest sum of the magnitudes of one launch's numbers: half of what 64 bits hold.
inline constexpr double kMostTogether = 4e18;

/// Bytes of any text; the longest kernel name seen has 982.
inline constexpr std::size_t kMostText = 16 << 10;
/// Bytes of a name that readers see in every table and chart.
inline constexpr std::size_t kMostLabel = 200;
inline constexpr std::size_t kMostId = 500;  // bytes of a cell's id; 109 were seen

inline constexpr std::size_t kMostValues = 6'000'000;  // values in one file; 225,000 were seen
inline constexpr std::size_t kMostItems = 10'000;      // items in lists without a bound below
inline constexpr std::size_t kMostRows = 5'000;        // rows in a table; 1,053 were seen
inline constexpr std::size_t kMostTraced = 40'000;     // rows in a GPU trace; 15,851 were seen
inline constexpr std::size_t kMostCells = 4'000;       // cells in a run; 112 were seen
inline constexpr std::size_t kMostLaunches = 20'000;
inline constexpr std::size_t kMostMetricNames = 500;  // distinct names; about 110 were seen

/// The most warm-up steps and the most counted steps. Their sum is at most `kMostItems` samples.
inline constexpr std::int64_t kMostSteps = 5'000;
inline constexpr std::int64_t kMostLaunchesOfACell = 1'000;

}  // namespace labreport
