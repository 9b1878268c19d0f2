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

/// A field of text: neutralised, quoted where it must be; empty stays empty.
std::string csv_text(std::string_view text);

/// Fifteen significant digits, what a spreadsheet keeps: 0.1 + 0.2 is "0.3". Never NaN or infinity:
/// those are empty.
std::string csv_number(double number);
std::string csv_number(std::int64_t number);

/// One record of fields that are written already.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace labreport
