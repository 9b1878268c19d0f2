// The time of day, as runs keep it.
#pragma once

#include <string>

namespace labreport {

std::string utc_now();  ///< ISO 8601, "2026-05-01T12:34:56Z"

}  // namespace labreport
