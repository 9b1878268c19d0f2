// Comma-separated values with the quoting of RFC 4180; lines end in LF.
// Spreadsheet programs run a cell that begins with = + - @ (also after a tab or a line end) as a
// formula. An apostrophe is put before text that begins so, which marks it as text. Numbers stay
// numbers: "-1.5" is written by `csv_number`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// A field as written in a line. Only the functions below create non-empty fields, so no text
/// enters a file without being neutralised.
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

/// Returns a text field, neutralised and quoted if necessary; empty text stays empty.
CsvField csv_text(std::string_view text);

/// Writes fifteen significant digits, as many as a spreadsheet keeps: 0.1 + 0.2 is "0.3". NaN and
/// infinity become empty fields.
CsvField csv_number(double number);
CsvField csv_number(std::int64_t number);

/// Writes this many decimals; NaN and infinity become empty fields.
CsvField csv_fixed(double number, int decimals);

/// Returns one record with its line end.
std::string csv_line(const CsvFields& fields);

/// Makes a record of text fields, for column headers.
CsvFields csv_texts(const std::vector<std::string>& texts);

}  // namespace labreport
