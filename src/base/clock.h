// The time of day, as runs keep it.
#pragma once

#include <cstdint>
#include <string>

namespace labreport {

/// A moment by ISO 8601, "2026-05-01T12:34:56Z", in seconds since 1970. Throws `InputError` where
/// no such text can name it: before the year 0 and after 9999.
std::string utc_text(std::int64_t seconds);

std::string utc_now();  ///< Throws `InputError` where the machine's clock is that wrong.

}  // namespace labreport
