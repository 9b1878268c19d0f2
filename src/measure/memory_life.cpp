#include "measure/memory_life.h"

#include <algorithm>

#include "results/metric_names.h"

namespace labreport {
namespace {

/// Turns events into lives, one address at a time.
class Lives {
 public:
  explicit Lives(const MemoryHistory& history) : history_(history) {
    found_.lost = history.lost;
    for (const MemoryBlock& block : history.resident) {
      begin(block.address, block.requested, block.block, 0);
    }
    for (std::size_t i = 0; i < history.events.size(); ++i) take(history.events[i], i + 1);
  }

  MemoryLives result() && { return std::move(found_); }

 private:
  void take(const MemoryEvent& event, std::size_t number) {
    if (event.kind == MemoryEventKind::kFree) free(event, number);
    if (event.kind != MemoryEventKind::kAllocation) return;
    // The end of what was here before is missing.
    if (end(event.address, number)) ++found_.lost;
    begin(event.address, event.requested, event.block, number);
  }

  void free(const MemoryEvent& event, std::size_t number) {
    if (end(event.address, number)) return;
    ++found_.lost;
    begin(event.address, event.requested, event.block, 0);
    end(event.address, number);
  }

  void begin(std::uint64_t address, std::int64_t requested, std::int64_t block,
             std::size_t number) {
    alive_[address] = found_.lives.size();
    found_.lives.push_back({address, requested, std::max(block, requested), number, {}, {}});
  }

  bool end(std::uint64_t address, std::size_t number) {
    const auto found = alive_.find(address);
    if (found == alive_.end()) return false;
    found_.lives[found->second].freed = number;
    alive_.erase(found);
    return true;
  }

  const MemoryHistory& history_;
  std::unordered_map<std::uint64_t, std::size_t> alive_;
  MemoryLives found_;
};

std::optional<MemoryCategory> known_as(const KnownStorages& storages, std::uint64_t address) {
  const auto found = storages.find(address);
  return found == storages.end() ? std::nullopt : std::optional(found->second);
}

bool before_backward(const MemoryHistory& history, std::size_t number) {
  const std::string& phase = history.origin(event_of(history, number)).phase;
  return phase == metric::kForward || phase == metric::kLoss;
}

/// In a forward that was refused, what it still held counts as kept.
bool kept_for_backward(const MemoryHistory& history, const MemoryLife& life) {
  return before_backward(history, life.made) &&
         !(life.freed && before_backward(history, *life.freed));
}

MemoryCategory category_of(const MemoryHistory& history, const KnownMemory& known,
                           const MemoryLife& life) {
  if (life.made == 0) {
    return known_as(known.before, life.address).value_or(MemoryCategory::kUnknown);
  }
  const MemoryEvent& made = event_of(history, life.made);
  if (made.weight_copy) return MemoryCategory::kWeightCopies;
  const auto at_the_end = known_as(known.after, life.address);
  if (!life.freed && at_the_end) return *at_the_end;
  if (history.origin(made).phase.empty()) return MemoryCategory::kUnknown;
  const bool kept = known.graph && kept_for_backward(history, life);
  return kept ? MemoryCategory::kActivations : MemoryCategory::kTemporary;
}

}  // namespace

std::string_view name(MemoryCategory category) {
  static constexpr std::string_view kNames[] = {
      metric::kParameters, metric::kGradients,   metric::kOptimizerStates,
      metric::kData,       metric::kActivations, metric::kWeightCopies,
      metric::kWorkspace,  metric::kTemporary,   metric::kUnknown};
  return kNames[static_cast<std::size_t>(category)];
}

const MemoryEvent& event_of(const MemoryHistory& history, std::size_t number) {
  return history.events.at(number - 1);
}

bool alive_after(const MemoryLife& life, std::size_t event) {
  return life.made <= event && (!life.freed || *life.freed > event);
}

MemoryLives lives_of(const MemoryHistory& history, const KnownMemory& known) {
  MemoryLives found = Lives(history).result();
  for (MemoryLife& life : found.lives) life.category = category_of(history, known, life);
  return found;
}

}  // namespace labreport
