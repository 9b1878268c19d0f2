// Bounds of the content of a run. They are far above any recorded run and low enough for every
// writer. They are checked when a run is loaded, and before a run is measured or imported.
#pragma once

#include <cstddef>
#include <cstdint>

namespace labreport {

/// The largest magnitude of an integer: a count, nanoseconds or bytes.
inline constexpr std::int64_t kMaxInteger = 10'000'000'000'000'000;
inline constexpr double kMaxReal = 1e18;
/// The smallest magnitude of a real number that is not 0. It is just below FP32's smallest positive
/// number, and the ratio of any two numbers within the bounds is finite.
inline constexpr double kMinNonzeroReal = 1e-45;
/// The largest sum of the magnitudes of all numbers of one launch: less than half of 2^63.
inline constexpr double kMaxLaunchSum = 4e18;

/// The longest kernel name that was recorded has 982 bytes.
inline constexpr std::size_t kMaxTextBytes = 16 << 10;
/// Labels are names that readers see in every table and chart.
inline constexpr std::size_t kMaxLabelBytes = 200;
inline constexpr std::size_t kMaxIdBytes = 500;  // bytes of a cell's id; 109 were seen

inline constexpr std::size_t kMaxJsonValues = 6'000'000;  // values in one file; 225,000 were seen
inline constexpr std::size_t kMaxListItems = 10'000;      // items in lists without a bound below
inline constexpr std::size_t kMaxTableRows = 5'000;       // rows in a table; 1,053 were seen
inline constexpr std::size_t kMaxTraceRows = 40'000;      // rows in a GPU trace; 15,851 were seen
inline constexpr std::size_t kMaxCells = 4'000;           // cells in a run; 112 were seen
inline constexpr std::size_t kMaxLaunches = 20'000;       // launches in a run
inline constexpr std::size_t kMaxMetricNames = 500;  // distinct names in a run; about 110 were seen

/// Bounds the warm-up steps and the counted steps of a launch, so their sum is at most
/// `kMaxListItems`.
inline constexpr std::int64_t kMaxSteps = 5'000;
inline constexpr std::int64_t kMaxLaunchesPerCell = 1'000;
inline constexpr std::int64_t kMaxRanks = 1'024;

}  // namespace labreport
