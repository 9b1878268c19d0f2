// Describes how one launch ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace labreport {

// In all alternatives, `rank` is the rank of the process, from 0; absent if the launch had only one
// process.

struct Ok {};

/// The device refused an allocation. Numbers that the allocator did not report are absent.
struct OutOfMemory {
  std::string phase;  ///< "model", "forward", "loss", "backward", "optimizer"
  std::optional<std::int64_t> requested_bytes;
  std::optional<std::int64_t> in_use_bytes;  ///< Allocated by this process when it was refused.
  std::optional<std::int64_t> peak_bytes;    ///< The most that this process had allocated before.
  std::optional<std::int64_t> rank = {};
  /// Taken from the device by the allocator when it was refused, in use or not.
  std::optional<std::int64_t> reserved_bytes = {};
};

struct Skipped {
  std::string reason;
};

struct TimedOut {
  double limit_seconds = 0;
  std::optional<std::int64_t> rank = {};
};

struct Crashed {
  std::int64_t signal = 0;
  std::string message;  ///< Last lines of stderr; may be empty.
  std::optional<std::int64_t> rank = {};
};

struct Failed {
  std::string message;
  std::optional<std::int64_t> rank = {};
};

using Outcome = std::variant<Ok, OutOfMemory, Skipped, TimedOut, Crashed, Failed>;

/// Returns the name that run.json uses: ok, oom, skipped, timeout, crashed, error.
std::string_view status_name(const Outcome& outcome);

/// Describes the outcome: "ok", "out of memory in backward: tried to allocate 2.00 GiB with 138.1
/// GiB allocated".
std::string describe(const Outcome& outcome);

/// Describes the outcome for a table, without byte counts: "out of memory in backward".
std::string describe_briefly(const Outcome& outcome);

bool is_ok(const Outcome& outcome);

/// Returns the outcome with `rank` set, or unchanged if the alternative has no rank.
Outcome with_rank(Outcome outcome, std::int64_t rank);

/// True if the launch ran out of memory, or was skipped because it would run out of memory. If it
/// is repeated, it ends in the same way.
bool does_not_fit(const Outcome& outcome);

/// True for outcomes that make a run incomplete: timeout, crashed, error.
bool is_failure(const Outcome& outcome);

}  // namespace labreport
