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
  double event = 0;                    ///< The event's number.
  std::string phase;                   ///< Empty before the first phase.
  std::vector<double> category_bytes;  ///< Requested bytes, in the order of memory_categories().
  double allocated_bytes = 0;

  double requested_bytes() const;
  double bytes_of(std::string_view category) const;
};

/// Consecutive instants of one phase.
struct PhaseSpan {
  std::string phase;
  const Instant* first;
  const Instant* last;
};

struct Timeline {
  std::vector<Instant> instants;

  bool empty() const { return instants.empty(); }
  /// Returns the instant with the most requested bytes; the timeline must not be empty.
  const Instant& peak() const;
  std::vector<PhaseSpan> phases() const;
  /// Returns the phase's last instant; null if no instant lies in the phase.
  const Instant* end_of(std::string_view phase) const;
};

/// Returns instants sorted by event; empty if the launch recorded no timeline.
Timeline timeline_of(const Launch& launch);

/// One of the step's largest allocations.
struct Allocation {
  double bytes = 0;                   ///< Requested bytes.
  double made_event = 0;              ///< The number of the event that made it.
  std::optional<double> freed_event;  ///< Empty if the step did not free it.
  std::string made_phase;
  std::string freed_phase;
  std::string module;    ///< "layers.3/attn"
  std::string outer_op;  ///< The outermost operator: "aten::linear".
  std::string inner_op;  ///< The innermost operator: "aten::exp".
  std::string category;
};

/// True if the same operators made both in the same module. The number of the layer may differ.
bool same_maker(const Allocation& a, const Allocation& b);

/// Returns allocations sorted by size, largest first.
std::vector<Allocation> allocations_of(const Launch& launch);

/// Removes the range "scaled dot product attention" from a path: the ranges inside it say more.
std::string short_path(std::string module);

bool is_linear(const std::string& outer_op);

/// Returns `inner_op`, or `outer_op` if `inner_op` only allocates, as `empty` and `resize_` do.
/// Returns "aten::where" for the `resize_` of MaskedScores, an operator of the network in old runs.
std::string allocating_op(const std::string& outer_op, const std::string& inner_op);

/// Returns the text after the last separator, "exp" in "aten::exp"; without one, the whole path.
std::string last_component(const std::string& path, const std::string& separator);

/// Returns "Softmax (exp) in layers.3/attn/computing softmax"; for a linear layer its path.
std::string maker_words(const std::string& outer_op, const std::string& module,
                        const std::string& inner_op);

/// Names a tensor of a block by its role, "softmax exponentials", or else by `maker_words`.
/// `module` is a path inside the block. Modules of networks other than labreport's have no roles.
std::string tensor_name(const std::string& outer_op, const std::string& module,
                        const std::string& inner_op, bool labreports_network);

}  // namespace labreport::memory_profiling
