// Converts a history of events to lifetimes of allocations, each with a category.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "engine/memory_history.h"

namespace labreport {

/// The categories of metric::kCategories, in its order.
enum class MemoryCategory {
  kParameters,
  kGradients,
  kOptimizer,
  kData,          ///< The batch, and tables computed from the shape.
  kActivations,   ///< Made in forward or loss and not freed there, so kept for backward.
  kWeightCopies,  ///< Autocast's copies of parameters in another dtype.
  kWorkspace,     ///< cuBLAS's workspace.
  kTemporary,
  kUnknown,
};

/// The categories in stacking order.
inline constexpr std::array kMemoryCategories{
    MemoryCategory::kParameters, MemoryCategory::kGradients,   MemoryCategory::kOptimizer,
    MemoryCategory::kData,       MemoryCategory::kActivations, MemoryCategory::kWeightCopies,
    MemoryCategory::kWorkspace,  MemoryCategory::kTemporary,   MemoryCategory::kUnknown};

std::string_view name(MemoryCategory category);

using KnownStorages = std::unordered_map<std::uint64_t, MemoryCategory>;

/// The storages whose category the program knows, by address.
struct KnownMemory {
  KnownStorages at_start, at_end;      ///< At the history's start and end.
  bool builds_autograd_graph = false;  ///< Forward keeps tensors for backward.
};

/// One allocation. The events are numbers of events of the history, counted from 1.
struct MemoryLifetime {
  std::uint64_t address = 0;
  std::int64_t requested_bytes = 0;
  std::int64_t block_bytes = 0;            ///< `requested_bytes`, rounded by the allocator.
  std::size_t made_event = 0;              ///< 0 if it existed at the history's start.
  std::optional<std::size_t> freed_event;  ///< Absent if alive at the history's end.
  MemoryCategory category = MemoryCategory::kUnknown;
};

struct MemoryLifetimes {
  std::vector<MemoryLifetime> all;  ///< In order of allocation.
  /// Number of inconsistent events (frees of unknown memory, a second allocation at an address)
  /// plus events that the full history dropped.
  std::int64_t lost_events = 0;
};

/// A block that is freed but was not allocated in the history counts as made before the history,
/// and its free as a lost event.
MemoryLifetimes lifetimes_of(const MemoryHistory& history, const KnownMemory& known);

/// Returns the event with the number, counted from 1; throws `std::out_of_range` for 0.
const MemoryEvent& event_of(const MemoryHistory& history, std::size_t number);

/// Returns the origin of event_of(history, number).
const MemoryOrigin& origin_of(const MemoryHistory& history, std::size_t number);

}  // namespace labreport
