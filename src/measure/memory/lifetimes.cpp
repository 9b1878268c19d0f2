#include "measure/memory/lifetimes.h"

#include <algorithm>

#include "results/metric_names.h"

namespace labreport {
namespace {

/// Converts events to lifetimes, for each address separately.
class LifetimeReader {
 public:
  explicit LifetimeReader(const MemoryHistory& history) : history_(history) {
    found_.lost = history.lost;
    for (const MemoryBlock& block : history.resident) {
      begin(block.address, block.requested, block.block, 0);
    }
    for (std::size_t i = 0; i < history.events.size(); ++i) take(history.events[i], i + 1);
  }

  MemoryLifetimes result() && { return std::move(found_); }

 private:
  void take(const MemoryEvent& event, std::size_t number) {
    if (event.kind == MemoryEventKind::kAllocation) {
      if (end(event.address, number)) ++found_.lost;  // the event of its free is missing
      begin(event.address, event.requested, event.block, number);
    } else if (event.kind == MemoryEventKind::kFree && !end(event.address, number)) {
      ++found_.lost;
      begin(event.address, event.requested, event.block, 0);
      end(event.address, number);
    }
  }

  void begin(std::uint64_t address, std::int64_t requested, std::int64_t block,
             std::size_t number) {
    alive_[address] = found_.lifetimes.size();
    found_.lifetimes.push_back({address, requested, std::max(block, requested), number, {}, {}});
  }

  bool end(std::uint64_t address, std::size_t number) {
    const auto found = alive_.find(address);
    if (found == alive_.end()) return false;
    found_.lifetimes[found->second].freed = number;
    alive_.erase(found);
    return true;
  }

  const MemoryHistory& history_;
  std::unordered_map<std::uint64_t, std::size_t> alive_;
  MemoryLifetimes found_;
};

std::optional<MemoryCategory> known_as(const KnownStorages& storages, std::uint64_t address) {
  const auto found = storages.find(address);
  return found == storages.end() ? std::nullopt : std::optional(found->second);
}

bool before_backward(const MemoryHistory& history, std::size_t number) {
  const std::string& phase = origin_of(history, number).phase;
  return phase == metric::kForward || phase == metric::kLoss;
}

MemoryCategory category_of(const MemoryHistory& history, const KnownMemory& known,
                           const MemoryLifetime& lifetime) {
  if (lifetime.made == 0) {
    return known_as(known.before, lifetime.address).value_or(MemoryCategory::kUnknown);
  }
  const MemoryEvent& made = event_of(history, lifetime.made);
  if (made.weight_copy) return MemoryCategory::kWeightCopies;
  const auto at_the_end = known_as(known.after, lifetime.address);
  if (!lifetime.freed && at_the_end) return *at_the_end;
  if (history.origin(made).phase.empty()) return MemoryCategory::kUnknown;
  // Activations include memory still held when forward ran out of memory.
  const bool kept = known.graph && before_backward(history, lifetime.made) &&
                    !(lifetime.freed && before_backward(history, *lifetime.freed));
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

const MemoryOrigin& origin_of(const MemoryHistory& history, std::size_t number) {
  return history.origin(event_of(history, number));
}

MemoryLifetimes lifetimes_of(const MemoryHistory& history, const KnownMemory& known) {
  MemoryLifetimes found = LifetimeReader(history).result();
  for (MemoryLifetime& lifetime : found.lifetimes)
    lifetime.category = category_of(history, known, lifetime);
  return found;
}

}  // namespace labreport
