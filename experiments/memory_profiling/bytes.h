// Bytes in this problem's datasets: all columns of one in one unit, GiB or MiB.
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

/// The unit of a dataset whose largest number is `most`.
inline ByteUnit byte_unit(double most) {
  if (most >= kBytesPerGibibyte) return {"GiB", kBytesPerGibibyte, 2};
  return {"MiB", kBytesPerMebibyte, most >= kBytesPerMebibyte ? 1 : 3};
}

/// Where the handout asks for MiB, whatever the size of the least number.
inline ByteUnit mebibytes(double least) {
  return {"MiB", kBytesPerMebibyte, least < kBytesPerMebibyte ? 3 : 1};
}

/// With as many digits as a figure can show: rows lie inside the page. `why`: where there are none.
inline Value in_unit(std::optional<double> bytes, const ByteUnit& unit,
                     const std::string& why = "") {
  return bytes ? Value(std::round(*bytes / unit.bytes * 1e6) / 1e6) : Value::missing(why);
}

/// `bytes` is a member, or what is computed from a row; where a row has none, `why` says so.
template <typename Row, typename Bytes>
Column<Row> bytes_column(std::string name, std::string title, Bytes bytes, const ByteUnit& unit,
                         std::function<std::string(const Row&)> why = {}) {
  const auto value = [bytes, unit, why](const Row& row) {
    return in_unit(std::optional<double>(std::invoke(bytes, row)), unit, why ? why(row) : "");
  };
  return {std::move(name), std::move(title), value, unit.name, {Notation::kShort, unit.decimals}};
}

}  // namespace labreport::memory_profiling
