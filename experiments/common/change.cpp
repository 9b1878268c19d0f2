#include "experiments/common/change.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"

namespace labreport {

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

std::string count_in_words(std::int64_t count) {
  static constexpr std::array words{"none", "one", "two",   "three", "four",
                                    "five", "six", "seven", "eight", "nine"};
  const auto index = static_cast<std::size_t>(count);
  return index < words.size() ? words[index] : format_count(count);
}

std::string certain_digits(double value, double deviation, int max_decimals) {
  const int first_digit = -static_cast<int>(std::floor(std::log10(deviation)));
  return format_fixed(value, std::clamp(first_digit, 0, max_decimals));
}

std::string certain_ms(double ms, double deviation_ms) {
  return deviation_ms > 0 ? certain_digits(ms, deviation_ms, std::abs(ms) < 100 ? 1 : 0)
                          : format_value(ms, kThreeDigits);
}

std::string certain_ratio(double ratio, double deviation) {
  return deviation > 0 ? certain_digits(ratio, deviation, 2) : format_ratio(ratio);
}

std::string stated_ratio(const Ratio& ratio, const Notation& notation) {
  const Value value = ratio.is_certain() ? Value(ratio.value) : Value(ratio.value, ratio.deviation);
  return format_value(value, notation);
}

}  // namespace labreport
