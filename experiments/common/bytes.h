// Writes bytes: in datasets with a unit that all columns share, in sentences in powers of ten.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "base/format.h"
#include "document/dataset.h"

namespace labreport {

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

/// Returns "15.0 MB" (10⁶ bytes) or "7.99 GB" (10⁹ bytes).
inline std::string size_words(double bytes) {
  constexpr double kMegabyte = 1e6, kGigabyte = 1e9;
  return bytes >= kGigabyte ? format_significant(bytes / kGigabyte, 3) + " GB"
                            : format_significant(bytes / kMegabyte, 3) + " MB";
}

}  // namespace labreport
