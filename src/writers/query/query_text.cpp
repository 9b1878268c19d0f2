#include "writers/query/query_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"
#include "document/facts.h"
#include "results/json_writer.h"

namespace labreport {
namespace {

constexpr double kMostExactInteger = 1e15;        // A double represents smaller integers exactly.
constexpr double kSmallestWithoutFraction = 1e6;  // Six digits of a larger number hold no fraction.

std::string value_text(const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr) return kNoNumber;
  const bool is_whole = *real == std::floor(*real) && std::abs(*real) < kMostExactInteger;
  return is_whole || std::abs(*real) >= kSmallestWithoutFraction ? fmt::format("{:.0f}", *real)
                                                                 : fmt::format("{:.6g}", *real);
}

/// Returns for each column if it holds a number and so is aligned to the right.
std::vector<bool> number_columns(const QueryResult& result) {
  std::vector<bool> holds_number(result.columns.size(), false);
  for (const auto& row : result.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_number =
          std::holds_alternative<std::int64_t>(row[i]) || std::holds_alternative<double>(row[i]);
      holds_number[i] = holds_number[i] || is_number;
    }
  }
  return holds_number;
}

using TextRows = std::vector<std::vector<std::string>>;

/// Returns the names of the columns, then the cells of each row.
TextRows text_rows(const QueryResult& result) {
  TextRows lines(1);
  for (const std::string& column : result.columns) lines[0].push_back(printable(column));
  for (const auto& row : result.rows) {
    std::ranges::transform(row, std::back_inserter(lines.emplace_back()), value_text);
  }
  return lines;
}

constexpr std::size_t kMostCellBytes = 60;  // A terminal's table cuts longer cells.

std::string markdown_line(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = escape_markdown(cell);
  return "| " + join(cells, " | ") + " |\n";
}

CsvField csv_field(const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return csv_text(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return csv_number(*integer);
  if (const auto* real = std::get_if<double>(&value)) return csv_number(*real);
  return {};
}

Json json_value(const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  const auto* real = std::get_if<double>(&value);
  return real == nullptr || !std::isfinite(*real) ? Json() : Json(*real);
}

}  // namespace

std::string as_table(const QueryResult& result) {
  const std::vector<bool> holds_number = number_columns(result);
  TextRows lines = text_rows(result);
  for (std::size_t column = 0; column < result.columns.size(); ++column) {
    std::size_t width = 0;
    for (auto& line : lines) line[column] = cut_short(line[column], kMostCellBytes);
    for (const auto& line : lines) width = std::max(width, letter_count(line[column]));
    for (auto& line : lines)
      line[column] = padded(line[column], width, holds_number[column] ? Pad::kLeft : Pad::kRight);
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line = join(cells, "  ");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return result.rows.empty() ? text + "(no rows)\n" : text;
}

std::string as_markdown(const QueryResult& result) {
  TextRows lines = text_rows(result);
  std::vector<std::string> rule;
  for (const bool number : number_columns(result)) rule.emplace_back(number ? "---:" : "---");
  std::string text = markdown_line(lines[0]) + "| " + join(rule, " | ") + " |\n";
  for (std::size_t i = 1; i < lines.size(); ++i) text += markdown_line(lines[i]);
  return text;
}

std::string as_csv(const QueryResult& result) {
  std::string text = csv_line(csv_texts(result.columns));
  for (const auto& row : result.rows) {
    CsvFields fields;
    std::ranges::transform(row, std::back_inserter(fields), csv_field);
    text += csv_line(fields);
  }
  return text;
}

std::string as_json(const QueryResult& result) {
  Json rows = Json::array();
  for (const auto& row : result.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[result.columns[i]] = json_value(row[i]);
    rows.push_back(object);
  }
  return rows.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace labreport
