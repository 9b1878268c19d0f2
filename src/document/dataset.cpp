#include "document/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format.h"
#include "base/statistics.h"
#include "base/text.h"

namespace labreport {
namespace {

constexpr const char* kNothing = "–";
constexpr double kLeastPlain = 1e-4;  // Below it zeros would crowd out the digits.
constexpr double kLeastPercent = 1e-3;
constexpr int kPowerDigits = 3;

std::string shortest(double number, int digits) {
  if (number != 0 && std::abs(number) < kLeastPlain) {
    return format_scientific(number, std::min(digits, kPowerDigits));
  }
  return (number < 0 ? "−" : "") + fmt::format("{:.{}g}", std::abs(number), digits);
}

std::string relative_error(double share, int digits) {
  const double percent = 100 * share;
  return std::abs(percent) < kLeastPercent ? format_scientific(percent, digits)
                                           : format_significant(percent, digits);
}

/// In the unit that the column's head names; a share stays one.
double in_unit(double number, const Notation& notation) {
  if (notation.form == Notation::kMebibytes) return number / kBytesPerMebibyte;
  return notation.form == Notation::kGibibytes ? number / kBytesPerGibibyte : number;
}

std::string format_number(double number, const Notation& notation) {
  switch (notation.form) {
    case Notation::kShortest:
      return shortest(number, notation.digits);
    case Notation::kFixed:
      return format_fixed(number, notation.digits);
    case Notation::kShort:
      return format_short(number, notation.digits);
    case Notation::kCount:
      return format_fixed(number, 0);
    case Notation::kPercent:
      return format_percent(number);
    case Notation::kRelativeError:
      return relative_error(number, notation.digits);
    case Notation::kMebibytes:
      return format_short(in_unit(number, notation), 1);
    case Notation::kGibibytes:
      return format_short(in_unit(number, notation), 2);
    case Notation::kSignificant:
      break;
  }
  return format_significant(number, notation.digits);
}

std::vector<std::size_t> chosen_columns(const Dataset& dataset, const ColumnChoice& choice) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; choice.empty() && i < dataset.columns.size(); ++i) chosen.push_back(i);
  for (const std::string& name : choice) {
    const auto found = std::ranges::find(dataset.columns, name, &DataColumn::name);
    if (found == dataset.columns.end()) {
      throw Error("dataset " + dataset.name + " has no column '" + name + "'");
    }
    chosen.push_back(static_cast<std::size_t>(found - dataset.columns.begin()));
  }
  return chosen;
}

bool holds_words(const Dataset& dataset, std::size_t column) {
  return std::ranges::any_of(dataset.rows, [column](const DataRow& row) {
    return std::holds_alternative<std::string>(row.values[column].held);
  });
}

bool is_empty(const Dataset& dataset, std::size_t column) {
  return std::ranges::all_of(
      dataset.rows, [column](const DataRow& row) { return row.values[column].is_missing(); });
}

CellView cell_of(const Value& value, const Notation& notation) {
  CellView cell{.text = format_value(value, notation),
                .sort = {},
                .muted = value.is_missing(),
                .deviation = value.deviation,
                .link = value.link};
  if (value.number() != nullptr) cell.sort = in_unit(*value.number(), notation);
  return cell;
}

/// The words that stand for the row's numbers, all of them missing; else beside the row.
void explain_missing(RowView& view, const std::vector<const Value*>& values, std::size_t labels) {
  std::string reason;
  bool any = false;
  for (std::size_t i = labels; i < values.size(); ++i) {
    if (reason.empty()) reason = values[i]->reason;
    any = any || !values[i]->is_missing();
  }
  if (reason.empty()) return;
  if (any) return view.flags.push_back(reason);
  view.cells.resize(labels);
  view.note = reason;
}

}  // namespace

Value Value::mean_of(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  const Summary summary = summarize(samples);
  return summary.count < 2 ? Value(summary.mean) : Value(summary.mean, summary.stddev);
}

Value Value::missing(std::string why) {
  Value value;
  value.reason = std::move(why);
  return value;
}

std::string format_value(const Value& value, const Notation& notation) {
  if (const auto* words = std::get_if<std::string>(&value.held)) return *words;
  if (value.is_missing()) return kNothing;
  if (!value.deviation) return format_number(*value.number(), notation);
  return format_with_deviation(*value.number(), *value.deviation).joined();
}

TableView table_of(const Dataset& dataset, const ColumnChoice& choice) {
  TableView table{.slug = dataset.name, .title = {}, .columns = {}, .rows = {}};
  std::vector<std::size_t> columns = chosen_columns(dataset, choice);
  std::size_t labels = 0;
  while (labels < columns.size() && holds_words(dataset, columns[labels])) ++labels;
  const auto kept = columns.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(labels, 1));
  columns.erase(std::remove_if(kept, columns.end(),
                               [&](std::size_t column) { return is_empty(dataset, column); }),
                columns.end());
  for (const std::size_t i : columns) {
    const DataColumn& column = dataset.columns[i];
    table.columns.push_back(
        {column.title, column.unit, holds_words(dataset, i) ? Align::kLeft : Align::kRight});
  }
  for (const DataRow& row : dataset.rows) {
    RowView view{.cells = {}, .flags = row.flags, .note = {}, .id = row.id};
    std::vector<const Value*> values;
    for (const std::size_t i : columns) {
      values.push_back(&row.values[i]);
      view.cells.push_back(cell_of(row.values[i], dataset.columns[i].notation));
    }
    explain_missing(view, values, labels);
    table.rows.push_back(std::move(view));
  }
  return table;
}

nlohmann::json rows_of(const Dataset& dataset) {
  nlohmann::json rows = nlohmann::json::array();
  for (const DataRow& row : dataset.rows) {
    nlohmann::json object = nlohmann::json::object();
    for (std::size_t i = 0; i < dataset.columns.size(); ++i) {
      const Value& value = row.values[i];
      const auto& [name, title, unit, notation] = dataset.columns[i];
      if (const auto* words = std::get_if<std::string>(&value.held)) {
        object[name] = *words;
        continue;
      }
      object[name] = value.is_missing() ? nlohmann::json() : nlohmann::json(*value.number());
      object[name + "_text"] = format_value(value, notation);
      if (value.deviation) object[name + "_deviation"] = *value.deviation;
      if (!value.reason.empty()) object["reason"] = value.reason;
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace labreport
