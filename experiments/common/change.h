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

/// "19.0 to 328", or one of them if both are equal.
std::string from_to(const std::string& first, const std::string& last);

/// "0.7 % less", "32 % more"; above double or below half, a factor: "15× as much". `spread` is the
/// relative deviation of the reference; if it is at least 1 %, percentages have no decimals.
std::string change_words(double ratio, double spread, const ChangeWords& words);

/// Four significant digits of `value`, fewer where its deviation leaves fewer certain.
std::string certain_digits(double value, double deviation);

/// A ratio with two decimals, fewer where its deviation leaves fewer certain.
std::string certain_ratio(double ratio, double deviation);

}  // namespace labreport
