// The most that a run may hold: far above what was ever recorded, low enough for what writers do
// with it. Checked when a run is loaded, and before it is measured or imported.
#pragma once

#include <cstddef>
#include <cstdint>

namespace labreport {

/// What no count, nanosecond or byte of a run reaches.
inline constexpr std::int64_t kMostInteger = 10'000'000'000'000'000;
inline constexpr double kMostReal = 1e18;
/// FP32 holds nothing smaller. Ratios of numbers within these bounds are finite.
inline constexpr double kLeastReal = 1e-45;
/// The numbers of one launch together: half of what 64 bits hold.
inline constexpr double kMostTogether = 4e18;

/// Bytes: the longest name of a kernel seen has 982.
inline constexpr std::size_t kMostText = 16 << 10;
/// Bytes of what readers see as a name in every table and chart.
inline constexpr std::size_t kMostLabel = 200;
inline constexpr std::size_t kMostId = 500;  // of a cell; 109 were seen

inline constexpr std::size_t kMostValues = 6'000'000;  // of a file; 225,000 were seen
inline constexpr std::size_t kMostItems = 10'000;      // of any list; 1,000 samples were seen
inline constexpr std::size_t kMostRows = 5'000;        // 1,053 were seen
inline constexpr std::size_t kMostTraced = 40'000;     // of a GPU trace; 15,851 were seen
inline constexpr std::size_t kMostCells = 4'000;       // 112
inline constexpr std::size_t kMostLaunches = 20'000;
inline constexpr std::size_t kMostMetricNames = 500;  // some 110

/// Of a cell: warm-up and counted steps together are `kMostItems` samples.
inline constexpr std::int64_t kMostSteps = 5'000;
inline constexpr std::int64_t kMostLaunchesOfACell = 1'000;

}  // namespace labreport
