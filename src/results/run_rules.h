// Lists the units, tags and columns that readers of a run rely on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/metric.h"

namespace labreport {

/// True for "ns", "B", "B/s", "flop/s", "MHz", "°C", "1" and the empty unit.
bool is_known_unit(std::string_view unit);

/// The range in which a measured number must lie.
enum class ValueRange {
  kAny,               ///< Any number: a loss, a temperature, an unknown metric.
  kNotNegative,       ///< At least 0: a count, an error, a deviation.
  kZeroOrAtLeastOne,  ///< 0, or at least 1 in its unit: a time, a number of bytes.
  kAtLeastOne,        ///< At least 1: a time or a size that cannot be 0.
};

ValueRange range_of_metric(const Metric& metric);
ValueRange range_of_column(std::string_view table, const TableColumn& column);
bool is_within(ValueRange range, double number);
/// Describes the range in words: "at least 1".
std::string_view describe(ValueRange range);

/// The names of two metrics of a launch ("step.enqueue", "step.total") or of two columns of a table
/// ("made", "freed"). The value of the first must not exceed the value of the second.
using OrderedPair = std::pair<std::string, std::string>;
const std::vector<OrderedPair>& ordered_metrics();
const std::vector<OrderedPair>& ordered_columns();

/// Returns the unit that the metric must have; empty if any unit is allowed.
std::string_view required_unit(std::string_view tag, std::string_view name);

enum class ColumnType { kNumber, kText, kBoolean };

/// Describes the type in words: "numbers", "text", "true or false".
std::string_view describe(ColumnType type);

/// Returns the type of a value; empty for null.
std::optional<ColumnType> type_of(const Scalar& value);

/// Returns the type that a column must have; empty for an unknown table or column.
std::optional<ColumnType> required_type(std::string_view table, std::string_view column);

/// Returns the columns that readers of the table need; empty for an unknown table.
std::vector<std::string_view> required_columns(std::string_view table);

/// True if the text has a character that terminals interpret: U+0000–1F or U+007F–9F.
bool has_control_character(std::string_view text);

}  // namespace labreport
