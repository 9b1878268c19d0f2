// A step's memory over time, as the worker recorded it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport::memory_profiling {

/// The memory after one event.
struct Instant {
  double event = 0;
  std::string phase;          ///< Empty before the first.
  std::vector<double> bytes;  ///< Requested bytes, one number a category.
  double allocated = 0;

  double requested() const;
  double of(std::string_view category) const;
};

/// A phase of the step and where it lies.
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
  /// The last instant of a phase; null if the step has none.
  const Instant* end_of(std::string_view phase) const;
};

/// Empty if the launch recorded none.
Timeline timeline_of(const Launch& launch);

/// One of the step's largest allocations.
struct Allocation {
  double bytes = 0;  ///< Requested bytes.
  double made = 0;   ///< Numbers of the events.
  std::optional<double> freed;
  std::string phase;
  std::string freed_phase;
  std::string module;     ///< "layers.3/attn"
  std::string operation;  ///< The outermost operator: "aten::linear".
  std::string op;         ///< "aten::exp"
  std::string category;
};

/// True if the same operation in the same module made both, in whichever layer.
bool same_kind(const Allocation& a, const Allocation& b);

/// Sorted by size, largest first.
std::vector<Allocation> allocations_of(const Launch& launch);

/// Removes the range around attention's parts, which adds nothing to theirs.
std::string short_path(std::string module);

bool is_linear(const std::string& operation);

/// Names an allocation by its operator, or by the caller of `empty` and `resize_`.
std::string allocated_by(const std::string& operation, const std::string& op);

/// Returns "exp" for "aten::exp"; the whole path if the separator is not in it.
std::string last_of(const std::string& path, const std::string& separator);

/// "Softmax (exp) in layers.3/attn/computing softmax"; for a linear layer its path.
std::string made_by(const std::string& operation, const std::string& module, const std::string& op);

}  // namespace labreport::memory_profiling
