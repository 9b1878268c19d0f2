// Numbers of this problem's tables.
#pragma once

#include <optional>

#include "base/format.h"
#include "experiments/common/table_cells.h"

namespace labreport::nsys_profile {

inline CellView ms_cell(std::optional<double> ms) {
  return ms ? number_cell(format_significant(*ms), *ms) : missing_cell();
}

inline CellView share_cell(std::optional<double> share) {
  return share ? number_cell(format_percent(*share), *share) : missing_cell();
}

inline CellView count_cell(std::int64_t count) {
  return number_cell(format_count(count), static_cast<double>(count));
}

}  // namespace labreport::nsys_profile
