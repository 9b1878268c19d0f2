// The events of an allocator during some work, and the place in the program that caused each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport {

/// The place in the program at which an event happened.
struct MemoryOrigin {
  std::string phase;      ///< "forward"; empty before the first phase.
  std::string module;     ///< "layers.3/attn/q_proj"; in backward the module that ran in forward.
  std::string operation;  ///< The outermost ATen operator: "aten::linear".
  std::string op;         ///< The innermost ATen operator: "aten::exp".

  auto operator<=>(const MemoryOrigin&) const = default;
};

enum class MemoryEventKind {
  kAllocation,
  kFree,
  kSegment,      ///< The device gave the allocator a segment.
  kSegmentFree,  ///< The allocator returned a segment.
  kOutOfMemory,  ///< An allocation failed; `address` is the GPU's free bytes, 0 on a CPU.
};

struct MemoryEvent {
  MemoryEventKind kind = MemoryEventKind::kAllocation;
  std::uint64_t address = 0;
  std::int64_t requested = 0;  ///< Bytes that the tensor requested, or a segment's size.
  std::int64_t block = 0;      ///< Bytes of the allocated block; 0 for other kinds.
  std::int64_t time_ns = 0;    ///< Since the history's start.
  std::size_t origin = 0;      ///< Index into MemoryHistory::origins.
  bool weight_copy = false;    ///< True during a copy of a parameter to another dtype.
};

/// A block in use; `requested` and `block` are in bytes, before and after rounding.
struct MemoryBlock {
  std::uint64_t address = 0;
  std::int64_t requested = 0;
  std::int64_t block = 0;
};

struct MemorySegment {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
};

struct MemoryHistory {
  std::vector<MemoryBlock> resident;    ///< Blocks in use at the history's start.
  std::vector<MemorySegment> segments;  ///< At the history's start; empty on a CPU.
  std::vector<MemoryEvent> events;
  std::vector<MemoryOrigin> origins;
  std::int64_t lost = 0;  ///< Events dropped because the history was full.

  const MemoryOrigin& origin(const MemoryEvent& event) const { return origins[event.origin]; }
};

}  // namespace labreport
