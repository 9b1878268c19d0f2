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

/// The handout asks for MiB; a `least` number below one gets more decimals.
inline ByteUnit mebibytes(double least) {
  return {"MiB", kBytesPerMebibyte, least < kBytesPerMebibyte ? 3 : 1};
}

/// Keeps six decimals, because a figure's rows lie inside the page. `why` says why bytes are
/// missing.
inline Value in_unit(std::optional<double> bytes, const ByteUnit& unit,
                     const std::string& why = "") {
  return bytes ? Value(std::round(*bytes / unit.bytes * 1e6) / 1e6) : Value::missing(why);
}

/// `bytes` is a member or a function of a row; `why` says why a row has none.
template <typename Row, typename Bytes>
Column<Row> bytes_column(std::string name, std::string title, Bytes bytes, const ByteUnit& unit,
                         std::function<std::string(const Row&)> why = {}) {
  const auto value = [bytes, unit, why](const Row& row) {
    return in_unit(std::optional<double>(std::invoke(bytes, row)), unit, why ? why(row) : "");
  };
  return {std::move(name), std::move(title), value, unit.name, {Notation::kShort, unit.decimals}};
}

}  // namespace labreport::memory_profiling
