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

/// "19.0 to 328", or only one of them if both are written alike.
std::string from_to(const std::string& first, const std::string& last);

/// True if the change is more than double or half: then a factor is easier to picture than a
/// percentage.
bool told_as_factor(double ratio);

/// "0.7 % less", "32 % more", "15× as much". `spread` is the deviation of what `ratio` compares
/// with, as a share of it: from 1 % on, decimals of a percentage mean nothing.
std::string change_words(double ratio, double spread, const ChangeWords& words);

/// Four significant digits of `value`, fewer where its deviation leaves fewer certain.
std::string certain_digits(double value, double deviation);

/// A ratio with two decimals, fewer where its deviation leaves fewer certain.
std::string certain_ratio(double ratio, double deviation);

}  // namespace labreport
