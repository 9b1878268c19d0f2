#pragma once

#include <cstdint>
#include <optional>

namespace labreport {

/// Returns monotonic nanoseconds; only differences are meaningful.
std::int64_t host_now_ns();

/// Returns the nanoseconds since this process was started (exec or fork), precise to the kernel's
/// clock tick, usually 10 ms. Empty if unknown, below 0 or above an hour.
std::optional<std::int64_t> process_age_ns();

}  // namespace labreport
