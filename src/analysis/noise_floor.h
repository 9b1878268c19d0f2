// How much launches of the same cell scatter, and what that says of a ratio of single ones.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/measures.h"
#include "results/run.h"

namespace labreport {

/// Nanoseconds: of each launch of a timing cell the median of the counted steps' whole time.
std::vector<double> launch_medians(const Cell& cell);

/// The standard deviation of the logarithms of launch medians (`launch_medians`), pooled over the
/// timing cells with at least two: each cell's squares about its own mean, summed and divided by
/// launches less cells. Cells that count a single step are left out: it is cold, and varies as no
/// warm one does. Absent where nothing is left.
std::optional<NoiseFloor> noise_floor(const Run& run);

/// The noise floors of two runs.
struct Floors {
  std::optional<NoiseFloor> a = {};
  std::optional<NoiseFloor> b = {};
  bool one_machine = false;  ///< Then the floor of one run serves for both.
};

/// Whether a run's floor tells of this number: of whole warm steps alone (`noise_floor`).
bool has_floor(const CellSpec& spec, Measure measure);

/// The 95 % interval of B ÷ A where the logarithms of launches scatter as the floors say: Student's
/// t with the standard error √(s_A² / launches_a + s_B² / launches_b) and Satterthwaite's degrees
/// of freedom, or those of the one floor that serves for both. Launches scatter about their cell as
/// the others of the run do: that is assumed. Absent where a side has no floor.
std::optional<std::pair<double, double>> floor_interval(double ratio, std::size_t launches_a,
                                                        std::size_t launches_b,
                                                        const Floors& floors);

}  // namespace labreport
