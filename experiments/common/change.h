// Writes ranges, and ratios with no more digits than their deviations support.
#pragma once

#include <string>

namespace labreport {

/// Returns "19.0 to 328", or only "328" if both texts are equal.
std::string from_to(const std::string& first, const std::string& last);

/// Writes a ratio with two decimals, or fewer if its deviation makes some uncertain.
std::string certain_ratio(double ratio, double deviation);

}  // namespace labreport
