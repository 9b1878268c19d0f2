// Comma-separated values, as RFC 4180 quotes them; lines end in LF.
//
// Spreadsheet programs run a cell that begins with = + - @ (also behind a tab or a line's end) as a
// formula. Text that begins so, and came from who knows where, gets an apostrophe in front, which
// they take for "this is text". Numbers stay numbers: "-1.5" is written by `csv_number`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace labreport {

/// A field as it stands in a line. Only the functions below make one that is not empty, so that no
/// text comes into a file without having been neutralised.
class CsvField {
 public:
  CsvField() = default;  ///< Empty.
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

/// A field of text: neutralised, quoted where it must be; empty stays empty.
CsvField csv_text(std::string_view text);

/// Fifteen significant digits, what a spreadsheet keeps: 0.1 + 0.2 is "0.3". Never NaN or infinity:
/// those are empty.
CsvField csv_number(double number);
CsvField csv_number(std::int64_t number);

/// With so many decimals.
CsvField csv_fixed(double number, int decimals);

/// One record.
std::string csv_line(const CsvFields& fields);

/// A record of texts: the heads of columns.
CsvFields csv_texts(const std::vector<std::string>& texts);

}  // namespace labreport
