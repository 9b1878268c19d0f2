// Gives the bytes in this problem's datasets a unit, GiB or MiB, which a dataset's columns share.
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
  double bytes;
  int decimals;
};

/// Returns the unit for a dataset whose largest number is `most` bytes.
inline ByteUnit byte_unit(double most) {
  if (most >= kBytesPerGibibyte) return {"GiB", kBytesPerGibibyte, 2};
  return {"MiB", kBytesPerMebibyte, most >= kBytesPerMebibyte ? 1 : 3};
}

/// Always MiB, as the handout asks; three decimals instead of one if `least` bytes are below 1 MiB.
inline ByteUnit mebibytes(double least) {
  return {"MiB", kBytesPerMebibyte, least < kBytesPerMebibyte ? 3 : 1};
}

/// Rounds to six decimals, because the page holds a figure's numbers as text. Without bytes, the
/// value is missing for the reason `why`.
inline Value in_unit(std::optional<double> bytes, const ByteUnit& unit,
                     const std::string& why = "") {
  return bytes ? Value(std::round(*bytes / unit.bytes * 1e6) / 1e6) : Value::missing(why);
}

/// `bytes` is a member or a function of a row; `why` gives the reason for a row without bytes.
template <typename Row, typename Bytes>
Column<Row> bytes_column(std::string name, std::string title, Bytes bytes, const ByteUnit& unit,
                         std::function<std::string(const Row&)> why = {}) {
  const auto value = [bytes, unit, why](const Row& row) {
    return in_unit(std::optional<double>(std::invoke(bytes, row)), unit, why ? why(row) : "");
  };
  return {std::move(name), std::move(title), value, unit.name, {Notation::kShort, unit.decimals}};
}

}  // namespace labreport::memory_profiling
