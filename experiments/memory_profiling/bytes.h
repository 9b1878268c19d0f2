// Gives bytes in datasets a unit, GiB or MiB, that all columns of a dataset share.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "base/format.h"
#include "document/dataset.h"

namespace labreport::memory_profiling {

struct ByteUnit {
  const char* name;
  double bytes_per_unit;
  int decimals;
};

/// Returns the unit for a dataset whose largest number is `largest_bytes`.
inline ByteUnit byte_unit(double largest_bytes) {
  if (largest_bytes >= kBytesPerGibibyte) return {"GiB", kBytesPerGibibyte, 2};
  return {"MiB", kBytesPerMebibyte, largest_bytes >= kBytesPerMebibyte ? 1 : 3};
}

/// Returns MiB, for which the handout asks, with more decimals if `bytes` is below 1 MiB.
inline ByteUnit mebibyte_unit(double bytes) {
  return {"MiB", kBytesPerMebibyte, bytes < kBytesPerMebibyte ? 3 : 1};
}

/// Returns `bytes` in `unit`, rounded to six decimals because the page holds a figure's numbers as
/// text. Without bytes, returns a missing value with its reason.
inline Value in_unit(std::optional<double> bytes, const ByteUnit& unit,
                     const std::string& reason = "") {
  return bytes ? Value(std::round(*bytes / unit.bytes_per_unit * 1e6) / 1e6)
               : Value::missing(reason);
}

/// `bytes` is a member or a function of a row. `reason` says why a row has no bytes.
template <typename Row, typename Bytes>
Column<Row> bytes_column(std::string name, std::string title, Bytes bytes, const ByteUnit& unit,
                         std::function<std::string(const Row&)> reason = {}) {
  const auto value = [bytes, unit, reason](const Row& row) {
    return in_unit(std::optional<double>(std::invoke(bytes, row)), unit, reason ? reason(row) : "");
  };
  return {std::move(name), std::move(title), value, unit.name, {Notation::kShort, unit.decimals}};
}

}  // namespace labreport::memory_profiling
