// A step's memory over time, as the worker recorded it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::memory_profiling {

/// The memory after one allocator event.
struct Instant {
  double event = 0;
  std::string phase;          ///< Empty before the first phase.
  std::vector<double> bytes;  ///< Requested bytes by category, in the order of categories().
  double allocated = 0;

  double requested() const;
  double of(std::string_view category) const;
};

/// Consecutive instants of one phase.
struct Stretch {
  std::string phase;
  const Instant* first;
  const Instant* last;
};

struct Timeline {
  std::vector<Instant> instants;

  bool empty() const { return instants.empty(); }
  /// The instant of the most requested bytes; the timeline must not be empty.
  const Instant& peak() const;
  std::vector<Stretch> phases() const;
  /// The phase's last instant; null if no instant lies in the phase.
  const Instant* end_of(std::string_view phase) const;
};

/// Sorted by event; empty if the launch recorded no timeline.
Timeline timeline_of(const Launch& launch);

/// One of the step's largest allocations.
struct Allocation {
  double bytes = 0;  ///< Requested bytes.
  double made = 0;   ///< The number of the event that made it.
  std::optional<double> freed;
  std::string phase;
  std::string freed_phase;
  std::string module;     ///< "layers.3/attn"
  std::string operation;  ///< The outermost operator: "aten::linear".
  std::string op;         ///< The innermost operator: "aten::exp".
  std::string category;
};

/// True if the same operators made both in the same module, of whichever layer.
bool same_kind(const Allocation& a, const Allocation& b);

/// Sorted by size, largest first.
std::vector<Allocation> allocations_of(const Launch& launch);

/// Removes the range "scaled dot product attention", which the ranges inside it make superfluous.
std::string short_path(std::string module);

bool is_linear(const std::string& operation);

/// Returns `op`, or `operation` if `op` only allocates, as `empty` and `resize_` do.
std::string allocated_by(const std::string& operation, const std::string& op);

/// Returns what follows the last separator, "exp" in "aten::exp"; without one, the whole path.
std::string last_of(const std::string& path, const std::string& separator);

/// "Softmax (exp) in layers.3/attn/computing softmax"; for a linear layer its path.
std::string made_by(const std::string& operation, const std::string& module, const std::string& op);

}  // namespace labreport::memory_profiling
