// The host's clocks.
#pragma once

#include <cstdint>
#include <optional>

namespace labreport {

/// Monotonic nanoseconds; only differences mean something.
std::int64_t host_now_ns();

/// Nanoseconds since this process was started (exec or fork), to the kernel's clock tick, usually
/// 10 ms. Nothing where the kernel does not tell or tells nonsense.
std::optional<std::int64_t> process_age_ns();

}  // namespace labreport
