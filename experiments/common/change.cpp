#include "experiments/common/change.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace labreport {
namespace {

constexpr double kTwice = 2;       // Larger ratios are written as a factor, others in percent.
constexpr double kRough = 0.01;    // From this relative deviation on, percentages lack decimals.
constexpr double kAlike = 0.0005;  // Smaller relative changes would be written as 0.0 %.
constexpr int kRatioDecimals = 2;

}  // namespace

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

std::string change_words(double ratio, double spread, const ChangeWords& words) {
  if (ratio > kTwice || ratio < 1 / kTwice) return format_factor(ratio) + words.times;
  const double share = std::abs(ratio - 1);
  const std::string number = spread < kRough ? format_percent(share) : format_fixed(100 * share, 0);
  if (share < kAlike || number == "0") return words.same;
  return number + (ratio < 1 ? words.less : words.more);
}

std::string certain_digits(double value, double deviation) {
  const std::string four = format_significant(value);
  if (!(deviation > 0)) return four;
  const std::string certain = format_with_deviation(value, deviation).value;
  return certain.size() < four.size() ? certain : four;
}

std::string certain_ratio(double ratio, double deviation) {
  return deviation > 0 ? format_with_deviation(ratio, deviation, kRatioDecimals).value
                       : format_ratio(ratio);
}

}  // namespace labreport
