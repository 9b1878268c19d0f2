// Counts the allocations of a fake memory cell, without any memory.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/metric_names.h"
#include "results/run.h"

namespace labreport::fake_memory {

inline constexpr std::array kCategories{
    metric::kParameters, metric::kGradients,   metric::kOptimizerMemory,
    metric::kData,       metric::kActivations, metric::kWeightCopies,
    metric::kWorkspace,  metric::kTemporary,   metric::kUnknown};

/// The code that made an allocation, and what it is for.
struct Origin {
  std::string module, outer_op, inner_op;
  std::string_view category;
};

struct Block {
  std::int64_t bytes = 0;
  std::int64_t event = 0;
  std::int64_t ns = 0;
  std::string phase;
  Origin origin;
  std::optional<std::int64_t> freed_event;  ///< Empty if it is not freed.
  std::int64_t freed_ns = 0;
  std::string freed_phase;
};

struct MemoryState {
  std::int64_t event, ns, allocated;
  std::string phase, module;
  std::map<std::string_view, std::int64_t> bytes;

  std::int64_t requested() const {
    std::int64_t sum = 0;
    for (const auto& [category, category_bytes] : bytes) sum += category_bytes;
    return sum;
  }
};

/// Thrown for an allocation that exceeds the capacity.
struct AllocationRefused {
  std::int64_t bytes;
};

class Allocator {
 public:
  explicit Allocator(std::int64_t capacity) : capacity_(capacity) {}

  /// Allocates bytes before the step, without an event.
  void allocate_before_step(std::int64_t bytes, std::string_view category) {
    current_.bytes[category] += bytes;
    current_.allocated += rounded(bytes) + bytes / 100;
  }
  void begin_step() { states_ = {current_}; }
  void enter_phase(std::string_view phase) { current_.phase = phase; }

  std::size_t allocate(std::int64_t bytes, Origin origin) {
    if (current_.allocated + rounded(bytes) > capacity_) throw AllocationRefused{bytes};
    current_.bytes[origin.category] += bytes;
    current_.allocated += rounded(bytes);
    current_.module = origin.module;
    add_event(bytes);
    blocks_.push_back(
        {bytes, current_.event, current_.ns, current_.phase, std::move(origin), {}, 0, {}});
    return blocks_.size() - 1;
  }

  void free(std::size_t id, const std::string& module = "") {
    Block& block = blocks_[id];
    current_.bytes[block.origin.category] -= block.bytes;
    current_.allocated -= rounded(block.bytes);
    current_.module = module.empty() ? block.origin.module : module;
    add_event(0);
    block.freed_event = current_.event;
    block.freed_ns = current_.ns;
    block.freed_phase = current_.phase;
  }

  /// Frees bytes that were allocated before the step.
  void free_from_before_step(std::int64_t bytes, std::string_view category) {
    current_.bytes[category] -= bytes;
    current_.allocated -= rounded(bytes);
    add_event(0);
  }

  void allocate_and_free(std::int64_t bytes, const Origin& origin) {
    free(allocate(bytes, origin));
  }

  const std::vector<MemoryState>& states() const { return states_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const MemoryState& current() const { return current_; }

 private:
  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 511) / 512 * 512; }
  void add_event(std::int64_t bytes) {
    ++current_.event;
    current_.ns += 20'000 + bytes / 2000;
    states_.push_back(current_);
  }

  std::int64_t capacity_;
  MemoryState current_{0, 0, 0, "", "", {}};
  std::vector<MemoryState> states_;
  std::vector<Block> blocks_;
};

}  // namespace labreport::fake_memory
