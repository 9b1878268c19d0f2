// Writes ranges, small counts, and ratios with no more digits than their deviations support.
#pragma once

#include <cstdint>
#include <string>

#include "document/value.h"
#include "experiments/common/ratio.h"

namespace labreport {

/// Returns "19.0 to 328", or only "328" if both texts are equal.
std::string from_to(const std::string& first, const std::string& last);

/// Returns "none", "one", … "nine"; from 10 on digits.
std::string count_in_words(std::int64_t count);

/// Writes a number to the first digit of its deviation, which is positive, with at most
/// `max_decimals` decimals: 84 for 84.3 ± 1.3.
std::string certain_digits(double value, double deviation, int max_decimals);

/// Writes a time in the same way with at most one decimal, and none from 100 ms on; to three digits
/// if the deviation is 0.
std::string certain_ms(double ms, double deviation_ms);

/// Writes a ratio in the same way with at most two decimals: 2.1 for 2.066 ± 0.168.
std::string certain_ratio(double ratio, double deviation);

/// Writes the ratio by the notation, with its deviation unless it is certain: "1.92", "1.1 ± 0.3".
std::string stated_ratio(const Ratio& ratio, const Notation& notation);

}  // namespace labreport
