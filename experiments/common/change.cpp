#include "experiments/common/change.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace labreport {
namespace {

constexpr double kFactorsAbove = 2;      // Larger ratios are written as factors.
constexpr double kDecimalsBelow = 0.01;  // From this deviation on, percentages lack decimals.
constexpr double kLeastChange = 0.0005;  // Smaller relative changes would be written as 0.0 %.
constexpr int kRatioDecimals = 2;

}  // namespace

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

std::string describe_change(double ratio, double spread, const ChangeWords& words) {
  if (ratio > kFactorsAbove || ratio < 1 / kFactorsAbove) return format_factor(ratio) + words.times;
  const double change = std::abs(ratio - 1);
  const std::string number =
      spread < kDecimalsBelow ? format_percent(change) : format_fixed(100 * change, 0);
  if (change < kLeastChange || number == "0") return words.same;
  return number + (ratio < 1 ? words.less : words.more);
}

std::string certain_digits(double value, double deviation) {
  const std::string four_digits = format_significant(value);
  if (!(deviation > 0)) return four_digits;
  const std::string certain = format_with_deviation(value, deviation).value;
  return certain.size() < four_digits.size() ? certain : four_digits;
}

std::string certain_ratio(double ratio, double deviation) {
  return deviation > 0 ? format_with_deviation(ratio, deviation, kRatioDecimals).value
                       : format_ratio(ratio);
}

}  // namespace labreport
