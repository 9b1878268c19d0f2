// A against A: how often launches of one run, split in two, are said to differ, and which change
// would have been found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "base/distributions.h"
#include "results/run.h"

namespace labreport {

struct NoiseOptions {
  std::size_t splits = 1000;
  std::size_t per_side = 5;  ///< Launches; at least `kLaunchesForVerdict`.
  std::uint64_t seed = 1;
  JudgeOptions judge = {};
};

struct CellNoise {
  double log_stddev = 0;      ///< Of the logarithms of all the cell's launch medians.
  Proportion false_verdicts;  ///< Splits in which its row is said to be faster or slower.
  /// The smallest factor that makes the row slower in nine of ten splits, above 1 …
  double slower = 1;
  double faster = 1;  ///< … and the largest that makes it faster, below 1.
};

struct Noise {
  std::size_t launches = 0;      ///< Of each cell that take part.
  std::vector<CellNoise> cells;  ///< In the order given.
  Proportion rows;    ///< Of all rows of all splits; rows of one split are not independent.
  Proportion any;     ///< Splits with at least one such row: the family-wise rate.
  double slower = 1;  ///< The largest of the cells': each cell's change is found.
  double faster = 1;  ///< The smallest of the cells'.
};

/// The timing cells of which at least twice `per_side` launches have a median. Throws `InputError`
/// when there are none.
std::vector<const Cell*> cells_to_split(const Run& run, std::size_t per_side);

/// Splits are drawn without replacement within each, jointly for all cells (a launch number falls
/// on one side for all of them), and judged as `judge` does. The proportions' intervals are of the
/// splits: they tell how well these launches' own rate is known, not how other launches would do.
///
/// A change is a factor without noise of its own on the second side of one cell, the others staying
/// A against A, so that Holm's correction is as strict as it gets.
///
/// `cells`: launch medians, one unit a cell. The first launches of each take part, as many as the
/// shortest has; throws `InputError` when these are fewer than twice `per_side`.
Noise measure_noise(std::span<const std::vector<double>> cells, const NoiseOptions& options);

}  // namespace labreport
