// Writes comma-separated values with the quoting of RFC 4180; lines end in LF. Spreadsheet programs
// run a cell that begins with = + - @, a tab or a line end as a formula, unless an apostrophe
// before it marks it as text. `csv_number` writes numbers such as "-1.5" without an apostrophe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// A field as it is written in a line. Only the functions below create non-empty fields, so that no
/// formula gets into a file.
class CsvField {
 public:
  CsvField() = default;
  const std::string& bytes() const { return bytes_; }

 private:
  explicit CsvField(std::string bytes) : bytes_(std::move(bytes)) {}
  friend CsvField csv_text(std::string_view text);
  friend CsvField csv_number(double number);
  friend CsvField csv_number(std::int64_t number);
  friend CsvField csv_fixed(double number, int decimals);

  std::string bytes_;
};

using CsvFields = std::vector<CsvField>;

/// Returns a text field, with an apostrophe and quotes if it needs them. An empty text gives an
/// empty field.
CsvField csv_text(std::string_view text);

/// Writes 15 significant digits, which is a spreadsheet's precision: 0.1 + 0.2 is "0.3". NaN and
/// infinity become empty fields.
CsvField csv_number(double number);
CsvField csv_number(std::int64_t number);

/// Writes `decimals` decimals; NaN and infinity become empty fields.
CsvField csv_fixed(double number, int decimals);

/// Returns one record with its line end.
std::string csv_line(const CsvFields& fields);

CsvFields csv_texts(const std::vector<std::string>& texts);

}  // namespace labreport
