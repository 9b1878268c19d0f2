// Measured values that describe themselves: tag, name, unit, and a value or samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace labreport {

/// A JSON scalar. `std::monostate` is null: the value is absent, and `reason` says why.
using Scalar = std::variant<std::monostate, std::int64_t, double, std::string, bool>;

/// Samples are all integers or all floating point. Times are integer nanoseconds, memory is integer
/// bytes. NaN and infinity never occur: such values are absent with a reason.
using Samples = std::variant<std::vector<std::int64_t>, std::vector<double>>;

/// Returns the integer or real number; empty if the scalar holds neither.
std::optional<double> number_of(const Scalar& scalar);

struct Metric {
  std::string tag;   ///< A group of metrics: "step".
  std::string name;  ///< The metric within the group: "total".
  std::string unit;  ///< "ns", "B", "flop/s", "B/s", "MHz", "°C", "1"; empty for text.
  std::variant<Scalar, Samples> data;
  std::string reason;  ///< The reason why the value is null; empty otherwise.

  bool is_samples() const;
  /// Returns the samples, or a single number as one sample; empty if the value is absent or not a
  /// number.
  std::vector<double> numbers() const;
  /// Returns the first of numbers(); empty if there is none.
  std::optional<double> number() const;
};

Metric integer_metric(std::string_view tag, std::string_view name, std::string_view unit,
                      std::int64_t value);
/// Returns absent_metric() with `reason` if `value` is empty.
Metric integer_metric(std::string_view tag, std::string_view name, std::string_view unit,
                      std::optional<std::int64_t> value, std::string_view reason);
Metric real_metric(std::string_view tag, std::string_view name, std::string_view unit,
                   double value);
Metric text_metric(std::string_view tag, std::string_view name, std::string_view value);
Metric sample_metric(std::string_view tag, std::string_view name, std::string_view unit,
                     std::vector<std::int64_t> samples);
Metric absent_metric(std::string_view tag, std::string_view name, std::string_view unit,
                     std::string_view reason);

void append(std::vector<Metric>& metrics, std::vector<Metric> more);

/// A column of a table. All its values have the same type or are null.
struct TableColumn {
  std::string name;
  std::string unit;
};

struct Table {
  std::string name;
  std::vector<TableColumn> columns;
  std::vector<std::vector<Scalar>> rows;  ///< A row has one scalar for each column.
};

}  // namespace labreport
