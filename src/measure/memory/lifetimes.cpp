#include "measure/memory/lifetimes.h"

#include <algorithm>

#include "results/metric_names.h"

namespace labreport {
namespace {

/// Converts events to lifetimes, for each address separately.
class LifetimeReader {
 public:
  explicit LifetimeReader(const MemoryHistory& history) : history_(history) {
    result_.lost_events = history.lost_events;
    for (const MemoryBlock& block : history.resident_blocks) {
      begin(block.address, block.requested_bytes, block.block_bytes, 0);
    }
    for (std::size_t i = 0; i < history.events.size(); ++i) read_event(history.events[i], i + 1);
  }

  MemoryLifetimes result() && { return std::move(result_); }

 private:
  void read_event(const MemoryEvent& event, std::size_t number) {
    if (event.kind == MemoryEventKind::kAllocation) {
      if (end(event.address, number)) ++result_.lost_events;  // its free is missing
      begin(event.address, event.requested_bytes, event.block_bytes, number);
    } else if (event.kind == MemoryEventKind::kFree && !end(event.address, number)) {
      ++result_.lost_events;
      begin(event.address, event.requested_bytes, event.block_bytes, 0);
      end(event.address, number);
    }
  }

  void begin(std::uint64_t address, std::int64_t requested_bytes, std::int64_t block_bytes,
             std::size_t number) {
    alive_[address] = result_.all.size();
    result_.all.push_back(
        {address, requested_bytes, std::max(block_bytes, requested_bytes), number, {}, {}});
  }

  bool end(std::uint64_t address, std::size_t number) {
    const auto found = alive_.find(address);
    if (found == alive_.end()) return false;
    result_.all[found->second].freed_event = number;
    alive_.erase(found);
    return true;
  }

  const MemoryHistory& history_;
  std::unordered_map<std::uint64_t, std::size_t> alive_;
  MemoryLifetimes result_;
};

std::optional<MemoryCategory> category_in(const KnownStorages& storages, std::uint64_t address) {
  const auto found = storages.find(address);
  return found == storages.end() ? std::nullopt : std::optional(found->second);
}

bool is_before_backward(const MemoryHistory& history, std::size_t number) {
  const std::string& phase = origin_of(history, number).phase;
  return phase == metric::kForward || phase == metric::kLoss;
}

MemoryCategory category_of(const MemoryHistory& history, const KnownMemory& known,
                           const MemoryLifetime& lifetime) {
  if (lifetime.made_event == 0) {
    return category_in(known.at_start, lifetime.address).value_or(MemoryCategory::kUnknown);
  }
  const MemoryEvent& made = event_of(history, lifetime.made_event);
  if (made.is_weight_copy) return MemoryCategory::kWeightCopies;
  const auto category_at_end = category_in(known.at_end, lifetime.address);
  if (!lifetime.freed_event && category_at_end) return *category_at_end;
  if (history.origin(made).phase.empty()) return MemoryCategory::kUnknown;
  // Memory that is still in use when forward runs out of memory counts as kept, too.
  const bool is_kept =
      known.builds_autograd_graph && is_before_backward(history, lifetime.made_event) &&
      !(lifetime.freed_event && is_before_backward(history, *lifetime.freed_event));
  return is_kept ? MemoryCategory::kActivations : MemoryCategory::kTemporary;
}

}  // namespace

std::string_view name(MemoryCategory category) {
  return metric::kCategories[static_cast<std::size_t>(category)];
}

const MemoryEvent& event_of(const MemoryHistory& history, std::size_t number) {
  return history.events.at(number - 1);
}

const MemoryOrigin& origin_of(const MemoryHistory& history, std::size_t number) {
  return history.origin(event_of(history, number));
}

MemoryLifetimes lifetimes_of(const MemoryHistory& history, const KnownMemory& known) {
  MemoryLifetimes lifetimes = LifetimeReader(history).result();
  for (MemoryLifetime& lifetime : lifetimes.all)
    lifetime.category = category_of(history, known, lifetime);
  return lifetimes;
}

}  // namespace labreport
