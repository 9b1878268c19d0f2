// Which cells of two runs measure the same thing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

/// What two runs may differ in and be compared all the same, because the user said so.
struct Allowed {
  bool batch = false;
  bool vocab = false;
};

/// "batch,vocab", as `--allow-mismatch` has it; empty: nothing. Throws `InputError`.
Allowed parse_allowed(const std::string& names);

/// One of the two is null for a cell that only one run has.
struct CellPair {
  const Cell* a = nullptr;
  const Cell* b = nullptr;
};

/// Points into the two runs, which have to outlive it.
struct Matching {
  std::vector<CellPair> pairs;  ///< In A's order; then what only B has, in B's.
  std::size_t matched = 0;
  std::size_t only_a = 0;
  std::size_t only_b = 0;
  std::vector<std::string> mismatches;  ///< Allowed ones: "batch 4 against 8"
};

/// By identity: the id, that is, kind and parameters, networks by their hyper-parameters whatever
/// they are called. Cells left over that differ alone in whose network they measure, or alone in
/// how many warm steps were counted, are matched too. Cells that differ in batch or vocabulary
/// alone are refused: throws `InputError` with the field, both values and the flag that allows it.
Matching match_cells(const Run& a, const Run& b, const Allowed& allowed);

/// For runs without a cell in common: each cell of A is held against the cell of B that differs
/// from it in the fewest fields. Says which field differs most often among them, and how: "context
/// differs most often: 128 against 512 (in 3 of 4 cells)". Empty where a run has no cell.
std::string most_frequent_difference(const Run& a, const Run& b);

}  // namespace labreport
