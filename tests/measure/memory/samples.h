// Small histories, written like a script.
#pragma once

#include "measure/memory/timeline.h"

namespace labreport {

/// Addresses are a mebibyte apart, blocks rounded to 512 bytes. Each event is a microsecond after
/// the one before.
class HistoryScript {
 public:
  HistoryScript& resident(std::uint64_t address, std::int64_t bytes) {
    history.resident.push_back({at(address), bytes, rounded(bytes)});
    return *this;
  }
  /// Sets the place of the following events.
  HistoryScript& in(const char* phase, const char* module = "", const char* operation = "",
                    const char* op = "") {
    history.origins.push_back({phase, module, operation, op});
    return *this;
  }
  HistoryScript& make(std::uint64_t address, std::int64_t bytes) {
    return event(MemoryEventKind::kAllocation, address, bytes, rounded(bytes));
  }
  HistoryScript& free(std::uint64_t address, std::int64_t bytes = 0) {
    return event(MemoryEventKind::kFree, address, bytes, 0);
  }
  HistoryScript& out_of_memory(std::int64_t bytes) {
    return event(MemoryEventKind::kOutOfMemory, 0, bytes, 0);
  }
  HistoryScript& copy_of_weight() {
    history.events.back().weight_copy = true;
    return *this;
  }

  static std::uint64_t at(std::uint64_t place) { return place << 20; }
  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 511) / 512 * 512; }

  MemoryHistory history;

 private:
  HistoryScript& event(MemoryEventKind kind, std::uint64_t address, std::int64_t bytes,
                       std::int64_t block) {
    const auto time = static_cast<std::int64_t>(history.events.size()) * 1000;
    history.events.push_back(
        {kind, at(address), bytes, block, time, history.origins.size() - 1, false});
    return *this;
  }
};

/// One block and its step, in bytes: 1000 of parameters are there; forward keeps 600 and frees 50;
/// backward frees what was kept and leaves 1000 of gradients; the moments are renewed.
inline HistoryScript one_block_step() {
  HistoryScript script;
  script.resident(1, 1000).resident(2, 2000);
  script.in("forward", "layers.0/ffn/w1", "Linear", "aten::mm").make(10, 500);
  script.make(11, 50).free(11);
  script.in("forward", "layers.0", "aten::add", "aten::add").make(12, 100);
  script.in("loss", "", "aten::sub", "aten::sub").make(13, 40);
  script.in("backward", "", "aten::neg", "aten::neg").make(14, 30).free(13);
  script.in("backward", "layers.0/ffn/w1", "Linear", "aten::mm").make(15, 1000);
  script.free(10).free(12).free(14);
  script.in("optimizer", "", "aten::add", "aten::add").make(16, 2000).free(2);
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
