#include "experiments/common/change.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace labreport {
namespace {

constexpr double kTwice = 2;
constexpr double kRough = 0.01;
constexpr double kAlike = 0.0005;  // Rounds to 0.0 %.
constexpr int kRatioDecimals = 2;

/// Returns the string with fewer digits.
std::string shorter(const std::string& a, const std::string& b) {
  return b.size() < a.size() ? b : a;
}

}  // namespace

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

bool told_as_factor(double ratio) { return ratio > kTwice || ratio < 1 / kTwice; }

std::string change_words(double ratio, double spread, const ChangeWords& words) {
  const double share = std::abs(ratio - 1);
  if (told_as_factor(ratio)) return format_factor(ratio) + words.times;
  const std::string number = spread < kRough ? format_percent(share) : format_fixed(100 * share, 0);
  const bool nothing = share < kAlike || number == "0";
  if (nothing) return words.same;
  return number + (ratio < 1 ? words.less : words.more);
}

std::string certain_digits(double value, double deviation) {
  const std::string four = format_significant(value);
  return deviation > 0 ? shorter(four, format_with_deviation(value, deviation).value) : four;
}

std::string certain_ratio(double ratio, double deviation) {
  return deviation > 0 ? format_with_deviation(ratio, deviation, kRatioDecimals).value
                       : format_ratio(ratio);
}

}  // namespace labreport
