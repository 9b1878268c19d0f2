// Formats dates and times as runs store them.
#pragma once

#include <cstdint>
#include <string>

namespace labreport {

/// A run that claims to begin in another year is refused.
inline constexpr int kFirstYear = 1970;  ///< A clock that was never set shows this year.
inline constexpr int kLastYear = 2199;

/// Formats seconds since 1970 as ISO 8601: "2026-05-01T12:34:56Z". Throws `InputError` for years
/// before `kFirstYear` and after `kLastYear`, so that nothing is measured that cannot be loaded.
std::string utc_text(std::int64_t seconds);

std::string utc_now();  ///< Throws `InputError` if the clock shows another year.

}  // namespace labreport
