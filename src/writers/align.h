// Decimals under each other in a column of numbers.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A cell as it is shown, and what must stand, unseen, in it so that its right-aligned column lines
/// up: "12.5" beside "3.25" ends in "0". Words need nothing.
struct AlignedCell {
  ValueWithDeviation shown;
  std::string after_value;  ///< Before " ± deviation".
  std::string at_end;
};

/// One a row; empty for a row that ends before that column.
std::vector<AlignedCell> align_decimals(const TableView& table, std::size_t column);

}  // namespace labreport
