// Builds small memory histories for tests, event by event.
#pragma once

#include "measure/memory/timeline.h"

namespace labreport {

/// Address n lies n MiB after 0, and blocks are rounded to 512 bytes. Each event is a microsecond
/// later than the previous one.
class HistoryScript {
 public:
  HistoryScript& resident(std::uint64_t address, std::int64_t bytes) {
    history.resident_blocks.push_back({at(address), bytes, rounded(bytes)});
    return *this;
  }
  /// Sets the origin of the following events.
  HistoryScript& in(const char* phase, const char* module = "", const char* operation = "",
                    const char* op = "") {
    history.origins.push_back({phase, module, operation, op});
    return *this;
  }
  HistoryScript& allocate(std::uint64_t address, std::int64_t bytes) {
    return event(MemoryEventKind::kAllocation, address, bytes, rounded(bytes));
  }
  HistoryScript& free(std::uint64_t address, std::int64_t bytes = 0) {
    return event(MemoryEventKind::kFree, address, bytes, 0);
  }
  HistoryScript& out_of_memory(std::int64_t bytes) {
    return event(MemoryEventKind::kOutOfMemory, 0, bytes, 0);
  }
  HistoryScript& as_weight_copy() {
    history.events.back().is_weight_copy = true;
    return *this;
  }

  static std::uint64_t at(std::uint64_t place) { return place << 20; }
  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 511) / 512 * 512; }

  MemoryHistory history;

 private:
  HistoryScript& event(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes,
                       std::int64_t block_bytes) {
    const auto time_ns = static_cast<std::int64_t>(history.events.size()) * 1000;
    history.events.push_back(
        {kind, at(address), bytes, block_bytes, time_ns, history.origins.size() - 1, false});
    return *this;
  }
};

/// Builds the step of a network of one block: 1,000 bytes of parameters and 2,000 of moments exist
/// before. Forward allocates 650 bytes and frees 50. Backward frees the rest and leaves 1,000 bytes
/// of gradients. The optimizer replaces the moments.
inline HistoryScript one_block_step() {
  HistoryScript script;
  script.resident(1, 1000).resident(2, 2000);
  script.in("forward", "layers.0/ffn/w1", "Linear", "aten::mm").allocate(10, 500);
  script.allocate(11, 50).free(11);
  script.in("forward", "layers.0", "aten::add", "aten::add").allocate(12, 100);
  script.in("loss", "", "aten::sub", "aten::sub").allocate(13, 40);
  script.in("backward", "", "aten::neg", "aten::neg").allocate(14, 30).free(13);
  script.in("backward", "layers.0/ffn/w1", "Linear", "aten::mm").allocate(15, 1000);
  script.free(10).free(12).free(14);
  script.in("optimizer", "", "aten::add", "aten::add").allocate(16, 2000).free(2);
  return script;
}

inline KnownMemory known_in_one_block_step() {
  const auto at = HistoryScript::at;
  return {{{at(1), MemoryCategory::kParameters}, {at(2), MemoryCategory::kOptimizer}},
          {{at(1), MemoryCategory::kParameters},
           {at(15), MemoryCategory::kGradients},
           {at(16), MemoryCategory::kOptimizer}},
          true};
}

}  // namespace labreport
