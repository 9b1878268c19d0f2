#include "base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace labreport {
namespace {

constexpr const char* kMinus = "−";
constexpr const char* kTimesTen = "\u00a0×\u00a010";

/// Returns the number of decimals with which `value` > 0 has `digits` significant digits. It is
/// negative if `value` is rounded to tens or more, and 0 for infinity and NaN.
int decimals_for(double value, int digits) {
  if (!std::isfinite(value)) return 0;
  return digits - 1 - static_cast<int>(std::floor(std::log10(value)));
}

/// Returns the value rounded to significant digits. Callers pass the result to `decimals_for`,
/// because rounding can add a digit before the point: 0.996 with two digits is 1.0.
double rounded_to_digits(double value, int digits) {
  const double last_place = std::pow(10.0, -decimals_for(value, digits));
  return std::round(value / last_place) * last_place;
}

std::string group_thousands(std::string number) {
  const std::size_t first_digit = number.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(number.find('.'), number.size());
  for (std::size_t i = point; i > first_digit + 3;) {
    i -= 3;
    number.insert(i, 1, ',');
  }
  return number;
}

std::string with_minus(const std::string& number) {
  return number.starts_with('-') ? kMinus + number.substr(1) : number;
}

}  // namespace

std::string ValueWithDeviation::tail() const { return deviation.empty() ? "" : " ± " + deviation; }

std::string ValueWithDeviation::joined() const { return value + tail(); }

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return kNoNumber;
  std::string text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  if (is_zero && text.front() == '-') text.erase(0, 1);  // A value that rounds to zero has no sign.
  return with_minus(group_thousands(text));
}

std::string format_short(double value, int max_decimals) {
  if (value == 0) return format_fixed(0, max_decimals);
  return format_fixed(value, std::min(max_decimals, decimals_for(std::abs(value), 4)));
}

ValueWithDeviation format_with_deviation(double value, double deviation, int max_decimals) {
  if (!std::isfinite(value) || !std::isfinite(deviation))
    return {format_short(value, max_decimals), ""};
  if (deviation <= 0) return {format_fixed(value, max_decimals), format_fixed(0, max_decimals)};
  // Four numbers of decimals follow, which show so many digits of the deviation or of the value.
  const auto clamped = [=](int decimals) { return std::clamp(decimals, 0, max_decimals); };
  const int two_digits = clamped(decimals_for(rounded_to_digits(deviation, 2), 2));
  const int one_digit = clamped(decimals_for(rounded_to_digits(deviation, 1), 1));
  const int value_four_digits =
      value == 0 ? max_decimals : clamped(decimals_for(std::abs(value), 4));
  const int value_five_digits =
      value == 0 ? max_decimals : clamped(decimals_for(std::abs(value), 5));
  const int decimals =
      std::min(std::max(one_digit, std::min(two_digits, value_four_digits)), value_five_digits);
  const double last_place = std::pow(10, -decimals);
  const bool rounds_to_zero = decimals < one_digit && deviation < last_place / 2;
  return {format_fixed(value, decimals),
          format_fixed(rounds_to_zero ? last_place : deviation, decimals)};
}

std::string format_significant(double value, int digits) {
  if (value == 0) return "0";
  const double rounded = rounded_to_digits(std::abs(value), digits);
  return format_fixed(std::copysign(rounded, value), decimals_for(rounded, digits));
}

std::string format_count(std::int64_t value) {
  return with_minus(group_thousands(fmt::format("{}", value)));
}

std::string format_ratio(double ratio) { return format_fixed(ratio, 2); }

std::string format_factor(double ratio) { return format_significant(ratio, 2); }

std::string format_percent(double fraction) { return format_fixed(fraction * 100, 1); }

std::string format_rough_percent(double fraction) {
  const double percent = fraction * 100;
  return format_fixed(percent, std::abs(percent) < 9.95 ? 1 : 0);
}

std::string format_bytes_briefly(double bytes) {
  if (!std::isfinite(bytes)) return kNoNumber;
  for (const auto& [unit, name] :
       {std::pair(kBytesPerGibibyte, " GiB"), {kBytesPerMebibyte, " MiB"}, {1024.0, " KiB"}}) {
    const double count = bytes / unit;
    if (std::abs(count) < 1) continue;
    return (count == std::floor(count) ? format_fixed(count, 0) : format_significant(count, 3)) +
           name;
  }
  return format_bytes(bytes);
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return kNoNumber;
  for (const auto& [unit, name, decimals] : {std::tuple(kBytesPerGibibyte, " GiB", 2),
                                             {kBytesPerMebibyte, " MiB", 1},
                                             {1024.0, " KiB", 1}}) {
    if (std::abs(bytes) >= unit) return format_short(bytes / unit, decimals) + name;
  }
  return format_fixed(bytes, 0) + " B";
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return kNoNumber;
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  const auto whole_seconds = static_cast<std::int64_t>(std::llround(seconds));
  if (whole_seconds < 60) return fmt::format("{} s", whole_seconds);
  const auto [hours, minutes, seconds_left] =
      std::tuple{whole_seconds / 3600, whole_seconds / 60 % 60, whole_seconds % 60};
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes);
  if (seconds_left == 0) return fmt::format("{} min", minutes);
  return fmt::format("{} min {} s", minutes, seconds_left);
}

std::string superscript(std::int64_t exponent) {
  constexpr std::array kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(exponent)) {
    text += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

std::string format_scientific(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return kNoNumber;
  const double rounded = rounded_to_digits(std::abs(value), digits);
  const int exponent = digits - 1 - decimals_for(rounded, digits);
  const double mantissa = std::copysign(rounded / std::pow(10.0, exponent), value);
  return format_fixed(mantissa, digits - 1) + kTimesTen + superscript(exponent);
}

std::string format_plural(std::int64_t count, const std::string& singular,
                          const std::string& plural) {
  const std::string& word = count == 1 ? singular : plural.empty() ? singular + "s" : plural;
  return format_count(count) + " " + word;
}

}  // namespace labreport
