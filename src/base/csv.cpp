#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace labreport {
namespace {

/// East Asian spreadsheets also take a full-width sign for the beginning of a formula.
constexpr std::array<std::string_view, 11> kFormulaStarts{"=",  "+",  "-",  "@",  "\t", "\r",
                                                          "\n", "＝", "＋", "－", "＠"};
constexpr std::string_view kQuotedCharacters = ",\"\r\n";

}  // namespace

CsvField csv_text(std::string_view text) {
  if (text.empty()) return {};
  const bool is_formula = std::ranges::any_of(
      kFormulaStarts, [&](std::string_view start) { return text.starts_with(start); });
  std::string field = is_formula ? "'" : "";
  for (const char letter : text) {
    if (letter == '"') field += '"';
    field += letter;
  }
  const bool needs_quotes = text.find_first_of(kQuotedCharacters) != std::string_view::npos ||
                            text.front() == ' ' || text.back() == ' ';
  return CsvField(needs_quotes ? '"' + field + '"' : field);
}

CsvField csv_number(double number) {
  return std::isfinite(number) ? CsvField(fmt::format("{:.15g}", number)) : CsvField();
}

CsvField csv_number(std::int64_t number) { return CsvField(fmt::to_string(number)); }

CsvField csv_fixed(double number, int decimals) {
  return std::isfinite(number) ? CsvField(fmt::format("{:.{}f}", number, decimals)) : CsvField();
}

std::string csv_line(const CsvFields& fields) {
  std::string line;
  for (const CsvField& field : fields) {
    if (&field != &fields.front()) line += ',';
    line += field.bytes();
  }
  return line + '\n';
}

CsvFields csv_texts(const std::vector<std::string>& texts) {
  CsvFields fields;
  for (const std::string& text : texts) fields.push_back(csv_text(text));
  return fields;
}

}  // namespace labreport
