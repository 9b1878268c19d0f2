// Finds the cells of two runs that measure the same thing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Differences that the user accepts between compared runs.
struct AllowedMismatches {
  bool batch = false;
  bool vocab = false;
};

/// Parses the value of `--allow-mismatch`: "batch,vocab", or empty. Throws `InputError`.
AllowedMismatches parse_allowed_mismatches(const std::string& names);

/// A cell of each run; null on one side if only the other run has the cell.
struct CellPair {
  const Cell* a = nullptr;
  const Cell* b = nullptr;
};

/// The matched cells of two runs. It points into the runs, which must outlive it.
struct Matching {
  std::vector<CellPair> pairs;  ///< In A's order; then cells that only B has.
  std::size_t matched_cells = 0;
  std::size_t cells_only_in_a = 0;
  std::size_t cells_only_in_b = 0;
  std::vector<std::string> mismatches;  ///< Differences that the user allowed: "batch 4 against 8".
};

/// Matches cells by id, which contains a network's hyper-parameters but not its name. Of the cells
/// that remain, those match that differ only in the network's implementation, then those that
/// differ only in the number of steps or of do_bench's repeats, then those that differ in batch or
/// vocabulary. Throws
/// `InputError` if `allowed` does not accept that last difference, and names the flag that does.
Matching match_cells(const Run& a, const Run& b, const AllowedMismatches& allowed);

/// Tells a user whose runs have no cell in common why: "context differs most often: 128 against 512
/// (in 3 of 4 cells)". Each cell of A is compared with the cell of B that differs in the fewest
/// fields. Returns an empty text if a run has no cells.
std::string most_frequent_difference(const Run& a, const Run& b);

}  // namespace labreport
