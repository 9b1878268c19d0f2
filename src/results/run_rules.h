// What a run's names may be where readers go by them: units, tags, columns, parameters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/cell.h"
#include "results/metric.h"

namespace labreport {

/// One of "ns", "B", "B/s", "flop/s", "MHz", "°C", "1" and none.
bool is_unit(std::string_view unit);

/// A range holds the values that a measured number can have.
enum class ValueRange {
  kAny,          ///< A loss, a temperature, what this program does not know.
  kNotNegative,  ///< A count, an error, a deviation.
  kNoneOrWhole,  ///< A time or a number of bytes: 0, or at least 1 of its unit.
  kWhole,        ///< What takes time or room whenever it is there: at least 1.
};

ValueRange range_of_metric(const Metric& metric);
ValueRange range_of_column(std::string_view table, const TableColumn& column);
bool is_within(ValueRange range, double number);
/// "at least 1"
std::string_view describe(ValueRange range);

/// Two names of which the first never stands for more than the second: "step.enqueue" and
/// "step.total" of a launch's metrics, "made" and "freed" of a table's columns.
using Ordered = std::pair<std::string, std::string>;
const std::vector<Ordered>& ordered_metrics();
const std::vector<Ordered>& ordered_columns();

/// What the metric is measured in; empty where any unit will do.
std::string_view unit_of(std::string_view tag, std::string_view name);

enum class ColumnType { kNumber, kText, kTruth };

/// "numbers", "text", "true or false".
std::string_view describe(ColumnType type);

/// Nothing for null.
std::optional<ColumnType> type_of(const Scalar& value);

/// Nothing for a table or column that this program does not know.
std::optional<ColumnType> type_of(std::string_view table, std::string_view column);

/// Those that readers of a table of that name look for; none of a table that nobody knows.
std::vector<std::string_view> needed_columns(std::string_view table);

/// The keys of the parameters that a cell of the kind has.
std::span<const std::string_view> needed_params(CellKind kind);

/// Has a character that a terminal obeys: U+0000–1F, U+007F–9F.
bool has_control_character(std::string_view text);

}  // namespace labreport
