// Formats dates and times as runs store them.
#pragma once

#include <cstdint>
#include <string>

namespace labreport {

/// Formats seconds since 1970 as ISO 8601: "2026-05-01T12:34:56Z". Throws `InputError` for years
/// before 0 and after 9999, which have more or fewer than four digits.
std::string utc_text(std::int64_t seconds);

std::string utc_now();  ///< Throws `InputError` if the clock's year has no four digits.

}  // namespace labreport
