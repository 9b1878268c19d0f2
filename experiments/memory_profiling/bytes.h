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

/// With as many digits as a figure can show: rows lie inside the page.
inline Value in_unit(std::optional<double> bytes, const ByteUnit& unit) {
  return bytes ? Value(std::round(*bytes / unit.bytes * 1e6) / 1e6) : Value();
}

/// `bytes` is a member, or what is computed from a row; nothing where a row has none.
template <typename Row, typename Bytes>
Column<Row> bytes_column(std::string name, std::string title, Bytes bytes, const ByteUnit& unit) {
  const auto value = [bytes, unit](const Row& row) {
    return in_unit(std::optional<double>(std::invoke(bytes, row)), unit);
  };
  return {std::move(name), std::move(title), value, unit.name, {Notation::kFixed, unit.decimals}};
}

}  // namespace labreport::memory_profiling
