// Aligns the decimals in a column of numbers.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A cell's text and the invisible text that lines up the decimal points of its right-aligned
/// column: "12.5" above "3.25" needs "0" after it. A cell of words has no padding.
struct AlignedCell {
  ValueWithDeviation text;
  std::string after_value;  ///< Padding before " ± deviation".
  std::string at_end;       ///< Padding after the whole cell.
};

/// Returns one cell for each row; it is empty if the row ends before that column.
std::vector<AlignedCell> align_decimals(const TableView& table, std::size_t column);

}  // namespace labreport
