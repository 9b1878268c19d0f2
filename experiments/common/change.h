// Changes and ratios in words, with no more digits than their deviations support.
#pragma once

#include <string>

namespace labreport {

/// The words that follow a number in a comparison: "32" + " % longer than", "15" + "× as long as".
struct ChangeWords {
  const char* more;   ///< The words after a percentage, if the ratio is above 1.
  const char* less;   ///< The words after a percentage, if the ratio is below 1.
  const char* times;  ///< The words after a factor.
  const char* same;   ///< The words without a number, if the ratio is 1 as far as it is known.
};

inline constexpr ChangeWords kLongerThan{" % longer than", " % shorter than", "× as long as",
                                         "as long as"};
inline constexpr ChangeWords kMoreThan{" % more than", " % less than", "× as much as",
                                       "as much as"};

/// Returns "19.0 to 328", or only "328" if both texts are equal.
std::string from_to(const std::string& first, const std::string& last);

/// Writes a ratio as a percentage, "0.7 % less"; above 2 or below ½ as a factor, "15× as much". If
/// `spread`, the denominator's relative deviation, is 1 % or more, percentages have no decimals.
std::string describe_change(double ratio, double spread, const ChangeWords& words);

/// Writes `value` with four significant digits, or fewer if its deviation makes some uncertain.
std::string certain_digits(double value, double deviation);

/// Writes a ratio with two decimals, or fewer if its deviation makes some uncertain.
std::string certain_ratio(double ratio, double deviation);

}  // namespace labreport
