// Aligns the decimals in a column of numbers.
#pragma once

#include <string>
#include <vector>

#include "document/document.h"

namespace labreport {

/// A cell's text and the invisible text that makes its right-aligned column line up: "12.5" above
/// "3.25" ends in "0". Words need none.
struct AlignedCell {
  ValueWithDeviation text;
  std::string after_value;  ///< Padding before " ± deviation".
  std::string at_end;
};

/// Returns one cell a row; empty for a row that ends before that column.
std::vector<AlignedCell> align_decimals(const TableView& table, std::size_t column);

}  // namespace labreport
