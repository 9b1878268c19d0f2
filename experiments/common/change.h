// Changes and ratios in words, with no more digits than their deviations support.
#pragma once

#include <string>

namespace labreport {

/// The words after a number: "32" + " % longer than", "15" + "× as long as".
struct ChangeWords {
  const char* more;
  const char* less;
  const char* times;
  const char* same;
};

inline constexpr ChangeWords kLongerThan{" % longer than", " % shorter than", "× as long as",
                                         "as long as"};
inline constexpr ChangeWords kMoreThan{" % more than", " % less than", "× as much as",
                                       "as much as"};

/// "19.0 to 328"; "328" if both are equal.
std::string from_to(const std::string& first, const std::string& last);

/// "0.7 % less", "32 % more"; a factor if `ratio` is above 2 or below ½: "15× as much". `spread` is
/// the relative deviation of the reference; from 1 % on, percentages have no decimals.
std::string change_words(double ratio, double spread, const ChangeWords& words);

/// Writes `value` with four significant digits, or fewer if its deviation makes some uncertain.
std::string certain_digits(double value, double deviation);

/// Writes a ratio with two decimals, or fewer if its deviation makes some uncertain.
std::string certain_ratio(double ratio, double deviation);

}  // namespace labreport
