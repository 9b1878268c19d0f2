// The events of an allocator during some work, with the code that caused them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport {

/// The place in the program at which an event happened.
struct MemoryOrigin {
  std::string phase;      ///< "forward"; empty before the first phase.
  std::string module;     ///< "layers.3/attn/q_proj"; in backward that of the forward.
  std::string operation;  ///< The outermost ATen operator: "aten::linear".
  std::string op;         ///< The innermost ATen operator: "aten::exp".

  auto operator<=>(const MemoryOrigin&) const = default;
};

enum class MemoryEventKind {
  kAllocation,
  kFree,
  kSegment,      ///< The device gave the allocator a segment.
  kSegmentFree,  ///< The allocator returned a segment.
  kOutOfMemory,  ///< An allocation failed; `address` is the bytes that the device had left.
};

struct MemoryEvent {
  MemoryEventKind kind = MemoryEventKind::kAllocation;
  std::uint64_t address = 0;
  std::int64_t requested = 0;  ///< Bytes that the tensor requested.
  std::int64_t block = 0;      ///< Bytes of its block; allocations only.
  std::int64_t time_ns = 0;    ///< Since the history's start.
  std::size_t origin = 0;      ///< Index into MemoryHistory::origins.
  bool weight_copy = false;    ///< The allocation became autocast's copy of a parameter.
};

/// An allocation that existed at the history's start.
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
  std::vector<MemoryBlock> resident;
  std::vector<MemorySegment> segments;  ///< At the history's start; empty on a CPU.
  std::vector<MemoryEvent> events;
  std::vector<MemoryOrigin> origins;
  std::int64_t lost = 0;  ///< Events dropped because the history was full.

  const MemoryOrigin& origin(const MemoryEvent& event) const { return origins[event.origin]; }
};

}  // namespace labreport
