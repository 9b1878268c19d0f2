#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "imports/text_table.h"
#include "imports/vocabulary.h"

namespace labreport {
namespace {

constexpr std::array<std::string_view, 8> kMissing{"", "-", "–", "—", "n/a", "na", "nan", "none"};
constexpr std::array<std::string_view, 4> kPlusMinus{"±", "+/-", "\\pm", "+-"};

/// "12.3 ms" → 12.3 and the unit; nothing where it is no plain number.
std::optional<TableNumber> parse_part(std::string_view text) {
  text = trimmed(text);
  if (text.substr(0, text.find_first_not_of("+-0123456789.,")).find(',') != text.npos) {
    throw InputError("is the comma for thousands or for decimals? write the number without one");
  }
  TableNumber found;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, found.value);
  const std::string_view rest = trimmed({at, end});
  found.unit = unit_named(rest);
  if (error == std::errc::result_out_of_range) throw InputError("it is out of range");
  if (error != std::errc() || (!rest.empty() && found.unit == nullptr)) return std::nullopt;
  if (std::isnan(found.value)) return std::nullopt;
  if (std::isinf(found.value)) throw InputError("it is infinite");
  if (found.value < 0) throw InputError("it is negative");
  return found;
}

/// A number and what stands behind "±", where that is more than nothing.
std::optional<TableNumber> parse_parts(std::string_view text) {
  for (const std::string_view sign : kPlusMinus) {
    const std::size_t at = text.find(sign);
    if (at == text.npos || at == 0) continue;
    auto found = parse_part(text.substr(0, at));
    const auto deviation = parse_part(text.substr(at + sign.size()));
    if (!found || !deviation) return std::nullopt;
    if (found->unit != nullptr && deviation->unit != nullptr && found->unit != deviation->unit) {
      throw InputError("its two numbers have different units");
    }
    found->deviation = deviation->value;
    if (found->unit == nullptr) found->unit = deviation->unit;
    return found;
  }
  return parse_part(text);
}

}  // namespace

TableNumber parse_table_number(std::string_view cell, const Unit* column) {
  const std::string text = lower(cell);
  if (std::ranges::find(kMissing, text) != kMissing.end()) throw LeftOut("no value is given");
  if (text.starts_with("oom") || text == "cuda oom" || text.find("out of memory") != text.npos) {
    return {.out_of_memory = true};
  }
  auto found = parse_parts(text);
  if (!found) throw LeftOut(in_quotes(cell) + " is no plain number");
  if (column != nullptr && found->unit != nullptr && found->unit != column) {
    throw InputError(
        fmt::format("it is in {}, the column's name says {}", found->unit->name, column->name));
  }
  if (column != nullptr) found->unit = column;
  return *found;
}

}  // namespace labreport
