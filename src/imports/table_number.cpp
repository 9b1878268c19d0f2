#include "imports/table_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "imports/words.h"

namespace labreport {
namespace {

using Kind = TableNumber::Kind;

constexpr std::array<std::string_view, 7> kMissing{"", "-", "–", "—", "n/a", "na", "none"};
constexpr std::array<std::string_view, 4> kPlusMinus{"±", "+/-", "\\pm", "+-"};

TableNumber wrong(std::string why) { return {.kind = Kind::kWrong, .why = std::move(why)}; }

/// "12.3 ms" → 12.3 and the unit.
TableNumber parse_part(std::string_view text) {
  text = without_spaces(text);
  if (text.substr(0, text.find_first_not_of("+-0123456789.,")).find(',') != text.npos) {
    return wrong("is the comma for thousands or for decimals? write the number without one");
  }
  TableNumber found;
  found.kind = Kind::kUnclear;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, found.value);
  const std::string_view rest = without_spaces({at, end});
  found.unit = unit_named(rest);
  if (error == std::errc::result_out_of_range) return wrong("it is out of range");
  if (error != std::errc() || (!rest.empty() && found.unit == nullptr)) return found;
  if (std::isnan(found.value)) return {};
  if (std::isinf(found.value)) return wrong("it is infinite");
  if (found.value < 0) return wrong("it is negative");
  found.kind = Kind::kNumber;
  return found;
}

/// A number and what stands behind "±", where that is more than nothing.
TableNumber parse_parts(const std::string& text) {
  for (const std::string_view sign : kPlusMinus) {
    const std::size_t at = text.find(sign);
    if (at == text.npos || at == 0) continue;
    TableNumber found = parse_part(std::string_view(text).substr(0, at));
    const TableNumber deviation = parse_part(std::string_view(text).substr(at + sign.size()));
    if (found.kind != Kind::kNumber) return found;
    if (deviation.kind != Kind::kNumber) return deviation;
    if (found.unit != nullptr && deviation.unit != nullptr && found.unit != deviation.unit) {
      return wrong("its two numbers have different units");
    }
    found.deviation = deviation.value;
    if (found.unit == nullptr) found.unit = deviation.unit;
    return found;
  }
  return parse_part(text);
}

}  // namespace

TableNumber parse_table_number(std::string_view cell, const Unit* column) {
  const std::string text = lower_case(plain_cell(cell));
  if (std::ranges::find(kMissing, text) != kMissing.end()) return {};
  if (text.starts_with("oom") || text == "cuda oom" || text.find("out of memory") != text.npos) {
    return {.kind = Kind::kOutOfMemory};
  }
  TableNumber found = parse_parts(text);
  if (found.kind != Kind::kNumber || column == nullptr) return found;
  if (found.unit != nullptr && found.unit != column) {
    return wrong(
        fmt::format("it is in {}, the column's name says {}", found.unit->name, column->name));
  }
  found.unit = column;
  return found;
}

}  // namespace labreport
