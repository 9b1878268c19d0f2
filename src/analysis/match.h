// Finds the cells of two runs that measure the same thing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// Differences that the user accepts between compared runs.
struct Allowed {
  bool batch = false;
  bool vocab = false;
};

/// Parses the value of `--allow-mismatch`: "batch,vocab", or empty. Throws `InputError`.
Allowed parse_allowed(const std::string& names);

/// One of the two is null if only one run has the cell.
struct CellPair {
  const Cell* a = nullptr;
  const Cell* b = nullptr;
};

/// Points into the two runs, which must outlive it.
struct Matching {
  std::vector<CellPair> pairs;  ///< In A's order; then cells that only B has.
  std::size_t matched = 0;
  std::size_t only_a = 0;
  std::size_t only_b = 0;
  std::vector<std::string> mismatches;  ///< Differences that the user allowed: "batch 4 against 8".
};

/// Matches cells by id: kind and parameters, so networks match by hyper-parameters and not by name.
/// Remaining cells match if they differ only in the network's implementation, or only in the number
/// of warm steps, or only in a batch or vocabulary that `allowed` accepts. Throws `InputError`
/// for another batch or vocabulary, and names the flag that allows it.
Matching match_cells(const Run& a, const Run& b, const Allowed& allowed);

/// Helps a user whose runs have no cell in common. Each cell of A is compared with the cell of B
/// that differs in the fewest fields. Returns the field that differs most often: "context differs
/// most often: 128 against 512 (in 3 of 4 cells)". Returns an empty text if a run has no cells.
std::string most_frequent_difference(const Run& a, const Run& b);

}  // namespace labreport
