// What an allocator did during a stretch of work, and who asked for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace labreport {

/// Where in the program something happened.
struct MemoryOrigin {
  std::string phase;      ///< "forward"; empty before the first.
  std::string module;     ///< "layers.3/attn/q_proj"; of the forward's, for backward too.
  std::string operation;  ///< The outermost ATen operator, "aten::linear".
  std::string op;         ///< The innermost ATen operator, "aten::exp".

  auto operator<=>(const MemoryOrigin&) const = default;
};

enum class MemoryEventKind {
  kAllocation,
  kFree,
  kSegment,      ///< The device gave the allocator more.
  kSegmentFree,  ///< The allocator gave it back.
  kOutOfMemory,  ///< An allocation that failed: `address` is what the device had left.
};

struct MemoryEvent {
  MemoryEventKind kind = MemoryEventKind::kAllocation;
  std::uint64_t address = 0;
  std::int64_t requested = 0;  ///< Bytes that the tensor asked for.
  std::int64_t block = 0;      ///< Bytes that it took, rounded; known of allocations.
  std::int64_t time_ns = 0;    ///< From the history's start.
  std::size_t origin = 0;      ///< Into MemoryHistory::origins.
  bool weight_copy = false;    ///< An allocation that became autocast's copy of a parameter.
};

/// What was there already when the history began.
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
  std::vector<MemorySegment> segments;  ///< At the start; none on a CPU.
  std::vector<MemoryEvent> events;
  std::vector<MemoryOrigin> origins;
  std::int64_t lost = 0;  ///< Events that found no room.

  const MemoryOrigin& origin(const MemoryEvent& event) const { return origins[event.origin]; }
};

}  // namespace labreport
