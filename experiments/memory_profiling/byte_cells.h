// Bytes in this problem's tables: one unit a column, MiB or GiB.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/format.h"
#include "experiments/common/table_cells.h"

namespace labreport::memory_profiling {

struct ByteUnit {
  const char* name;
  double bytes;
  int decimals;
};

/// The unit of a column whose largest entry is `most`.
inline ByteUnit byte_unit(double most) {
  if (most >= kBytesPerGibibyte) return {"GiB", kBytesPerGibibyte, 2};
  return {"MiB", kBytesPerMebibyte, most >= kBytesPerMebibyte ? 1 : 3};
}

inline CellView bytes_cell(std::optional<double> bytes, const ByteUnit& unit) {
  if (!bytes) return missing_cell();
  return number_cell(format_fixed(*bytes / unit.bytes, unit.decimals), *bytes / unit.bytes);
}

inline CellView muted(CellView cell) {
  cell.muted = true;
  return cell;
}

}  // namespace labreport::memory_profiling
