#include "base/csv.h"

#include <fmt/format.h>

#include <cmath>

namespace labreport {
namespace {

constexpr std::string_view kBeginsFormula = "=+-@\t\r\n";
constexpr std::string_view kWantsQuotes = ",\"\r\n";

}  // namespace

std::string csv_text(std::string_view text) {
  if (text.empty()) return "";
  const bool formula = kBeginsFormula.find(text.front()) != std::string_view::npos;
  std::string field = formula ? "'" : "";
  for (const char letter : text) {
    if (letter == '"') field += '"';
    field += letter;
  }
  const bool quoted = text.find_first_of(kWantsQuotes) != std::string_view::npos ||
                      text.front() == ' ' || text.back() == ' ';
  return quoted ? '"' + field + '"' : field;
}

std::string csv_number(double number) {
  return std::isfinite(number) ? fmt::format("{:.15g}", number) : "";
}

std::string csv_number(std::int64_t number) { return fmt::to_string(number); }

std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace labreport
