#include "document/keyed_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace labreport {
namespace {

constexpr std::string_view kAddressStart = "#number=";

}  // namespace

std::string with_unit(const std::string& number, const std::string& unit) {
  return number + (unit == "×" ? "" : " ") + unit;
}

Notation brief_ms(double ms) { return {Notation::kSignificant, ms < 1000 ? 3 : 4}; }

Notation compared_ms(double ms, double other) {
  const auto shown = [](double time) {
    return std::stod(fmt::format("{:.{}g}", time, brief_ms(time).digits));
  };
  const auto ratio = [](double one, double two) {
    return format_ratio(std::max(one, two) / std::min(one, two));
  };
  const bool is_consistent = ratio(ms, other) == ratio(shown(ms), shown(other));
  return is_consistent ? brief_ms(ms) : Notation{Notation::kSignificant, 4};
}

std::string keyed_number(const std::string& text, const Value& value) {
  return fmt::format("[{}]({}{}/{})", text, kAddressStart, *value.number(), value.key);
}

std::string keyed_ratio(const Value& ratio) {
  return ratio.is_missing() ? "" : keyed_number(format_ratio(*ratio.number()) + "×", ratio);
}

std::string without_keys(std::string markdown) {
  static const std::regex kLink(fmt::format(R"(\[([^\]]*)\]\({}[^)]*\))", kAddressStart));
  return std::regex_replace(markdown, kLink, "$1");
}

std::optional<KeyedAddress> keyed_address(std::string_view address) {
  if (!address.starts_with(kAddressStart)) return std::nullopt;
  address.remove_prefix(kAddressStart.size());
  const std::size_t slash = address.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return KeyedAddress{std::string(address.substr(0, slash)),
                      std::string(address.substr(slash + 1))};
}

}  // namespace labreport
