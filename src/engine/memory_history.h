// The events of an allocator during some work, and the place in the program that caused each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport {

/// The place in the program at which an event happened.
struct MemoryOrigin {
  std::string phase;     ///< "forward"; empty before the first phase.
  std::string module;    ///< "layers.3/attn/q_proj"; in backward the module that ran in forward.
  std::string outer_op;  ///< The outermost operator, which the module called: "aten::linear".
  std::string inner_op;  ///< The innermost ATen operator, which did the work: "aten::exp".

  auto operator<=>(const MemoryOrigin&) const = default;
};

enum class MemoryEventKind {
  kAllocation,
  kFree,
  kSegment,      ///< The device gave the allocator a segment.
  kSegmentFree,  ///< The allocator returned a segment.
  kOutOfMemory,  ///< An allocation failed.
};

struct MemoryEvent {
  MemoryEventKind kind = MemoryEventKind::kAllocation;
  std::uint64_t address = 0;         ///< For kOutOfMemory the GPU's free bytes instead, 0 on a CPU.
  std::int64_t requested_bytes = 0;  ///< Requested by the tensor, or the size of a segment.
  std::int64_t block_bytes = 0;      ///< The allocated block's size; 0 unless kAllocation.
  std::int64_t time_ns = 0;          ///< Since the history's start.
  std::size_t origin_index = 0;      ///< Index into MemoryHistory::origins.
  bool is_weight_copy = false;       ///< True during a copy of a parameter to another dtype.
};

/// A block in use.
struct MemoryBlock {
  std::uint64_t address = 0;
  std::int64_t requested_bytes = 0;
  std::int64_t block_bytes = 0;  ///< `requested_bytes`, rounded by the allocator.
};

struct MemorySegment {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
};

struct MemoryHistory {
  std::vector<MemoryBlock> resident_blocks;  ///< Blocks in use at the history's start.
  std::vector<MemorySegment> segments;       ///< Segments at the history's start; empty on a CPU.
  std::vector<MemoryEvent> events;
  std::vector<MemoryOrigin> origins;
  std::int64_t lost_events = 0;  ///< Events dropped because the history was full.

  const MemoryOrigin& origin(const MemoryEvent& event) const { return origins[event.origin_index]; }
};

}  // namespace labreport
