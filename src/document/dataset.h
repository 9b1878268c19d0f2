// Datasets: what an experiment computed from a run, typed, each column declared once. A dataset is
// the source of tables (a choice of its columns), the data of figures, and a CSV.
#pragma once

#include <concepts>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "document/document.h"

namespace labreport {

/// How a column's numbers are written; base/format.h has the rules.
struct Notation {
  enum Form {
    kSignificant,  ///< `digits` significant digits; with a deviation, as that asks for
    kShortest,     ///< As few of `digits` as tell the number: "10.00013351"; below 10⁻⁴ as a power
    kFixed,        ///< `digits` decimals
    kShort,        ///< At most `digits` decimals and four significant digits
    kCount,        ///< "128,625,408"
    kPercent,      ///< A share of 1, written in per cent with one decimal
    kRelativeError,  ///< A share of 1, in per cent with `digits` significant digits; below 10⁻³ %
                     ///< as a power
    kMebibytes,      ///< Bytes, written in MiB with one decimal at most
    kGibibytes,      ///< Bytes, written in GiB with two decimals at most
  };
  Form form = kSignificant;
  int digits = 4;
};

/// What a row holds in a column: a number, perhaps with its standard deviation; words; or nothing,
/// and perhaps why.
struct Value {
  std::variant<std::monostate, double, std::string> held = {};
  std::optional<double> deviation = {};
  std::string reason = {};  ///< Why it is missing.
  std::string link = {};    ///< In a page: where it leads.

  Value() = default;
  template <typename Number>
    requires std::integral<Number> || std::floating_point<Number>
  Value(Number number) : held(static_cast<double>(number)) {}  // NOLINT: rows hold plain members
  Value(std::string words) : held(std::move(words)) {}         // NOLINT
  Value(std::string_view words) : held(std::string(words)) {}  // NOLINT
  Value(const char* words) : held(std::string(words)) {}       // NOLINT
  template <typename T>
  Value(const std::optional<T>& value) : Value() {  // NOLINT
    if (value) *this = Value(*value);
  }
  Value(double number, double stddev) : held(number), deviation(stddev) {}

  /// Mean and sample standard deviation; missing where there are no samples.
  static Value mean_of(const std::vector<double>& samples);
  static Value missing(std::string why);

  bool is_missing() const { return std::holds_alternative<std::monostate>(held); }
  const double* number() const { return std::get_if<double>(&held); }
};

/// A number as it is written in a table or a sentence: "116.71 ± 0.29", "46.8"; words as they are;
/// "–" for what is missing.
std::string format_value(const Value& value, const Notation& notation = {});

/// A column of rows of one struct, declared beside it.
template <typename Row>
struct Column {
  std::string name;  ///< In figures and CSV: "forward_ms".
  std::string title;
  std::function<Value(const Row&)> value;  ///< A member, or what is computed from several.
  std::string unit = {};
  Notation notation = {};
};

struct DataColumn {
  std::string name, title, unit;
  Notation notation;
};

struct DataRow {
  std::vector<Value> values;       ///< One a column.
  std::vector<std::string> flags;  ///< Words beside the row: "thermal slowdown".
  std::string id = {};             ///< In a page: what a link to the row names.
};

struct Dataset {
  std::string name;
  std::vector<DataColumn> columns;
  std::vector<DataRow> rows;
  /// Datasets of one name that hold the same under one varying condition name it alike ("Context")
  /// and themselves apart ("512"): each is a table or figure of its own.
  std::string family = {};
  std::string variant = {};
  /// For a figure over this dataset: what the page makes interactive in place of its chart, see
  /// `Figure::live`; null: the chart itself.
  nlohmann::json live = {};
};

/// A row's flags and id are its members of that name, where it has them.
template <typename Row>
Dataset make_dataset(std::string name, const std::vector<Column<Row>>& columns,
                     const std::vector<Row>& rows) {
  Dataset dataset{.name = std::move(name), .columns = {}, .rows = {}};
  for (const auto& column : columns) {
    dataset.columns.push_back({column.name, column.title, column.unit, column.notation});
  }
  for (const Row& row : rows) {
    DataRow& data = dataset.rows.emplace_back();
    for (const auto& column : columns) data.values.push_back(column.value(row));
    if constexpr (requires { row.flags; }) data.flags = row.flags;
    if constexpr (requires { row.id; }) data.id = row.id;
  }
  return dataset;
}

/// Which columns a table shows, by name and in this order; none: all.
using ColumnChoice = std::vector<std::string>;

/// Columns of words stand left. A column without a value in any row is left out, unless it holds
/// the rows' names; what is missing says why: in place of a whole row's numbers, or beside the row.
/// Throws `Error` for a name that no column has.
TableView table_of(const Dataset& dataset, const ColumnChoice& choice = {});

/// One object a row: each column by its name, `<name>_text` as tables have it, `<name>_deviation`
/// where there is one, and `reason` where a number is missing.
nlohmann::json rows_of(const Dataset& dataset);

}  // namespace labreport
