// A history of events as the lifetimes of allocations, each with what it was for.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "engine/memory_history.h"

namespace labreport {

enum class MemoryCategory {
  kParameters,
  kGradients,
  kOptimizer,
  kData,          ///< The batch and tables made from the shape alone.
  kActivations,   ///< Made in forward or loss and alive at their end: kept for backward.
  kWeightCopies,  ///< Autocast's casts of parameters.
  kWorkspace,     ///< Of cuBLAS.
  kTemporary,
  kUnknown,
};

/// In the order in which they are stacked.
inline constexpr std::array kMemoryCategories{
    MemoryCategory::kParameters, MemoryCategory::kGradients,   MemoryCategory::kOptimizer,
    MemoryCategory::kData,       MemoryCategory::kActivations, MemoryCategory::kWeightCopies,
    MemoryCategory::kWorkspace,  MemoryCategory::kTemporary,   MemoryCategory::kUnknown};

std::string_view name(MemoryCategory category);

using KnownStorages = std::unordered_map<std::uint64_t, MemoryCategory>;

/// What the program knows of its storages, by address.
struct KnownMemory {
  KnownStorages before;  ///< When the history began.
  KnownStorages after;   ///< When it ended.
  bool graph = false;    ///< Autograd recorded, so forward keeps something for backward.
};

/// Events are numbered from 1; number 0 is before the first.
struct MemoryLifetime {
  std::uint64_t address = 0;
  std::int64_t requested = 0;
  std::int64_t block = 0;            ///< As rounded by the allocator.
  std::size_t made = 0;              ///< 0: it was there when the history began.
  std::optional<std::size_t> freed;  ///< Absent: alive when it ended.
  MemoryCategory category = MemoryCategory::kUnknown;
};

struct MemoryLifetimes {
  std::vector<MemoryLifetime> lifetimes;  ///< In the order in which they were made.
  std::int64_t lost =
      0;  ///< Events that must be missing: frees of nothing, two allocations in one place.
};

/// A history may begin anywhere: what is freed without having been made was there before.
MemoryLifetimes lifetimes_of(const MemoryHistory& history, const KnownMemory& known);

/// The event of that number. Throws on number 0.
const MemoryEvent& event_of(const MemoryHistory& history, std::size_t number);

}  // namespace labreport
