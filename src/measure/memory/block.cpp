#include "measure/memory/block.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::size_t kMostBlockRows = 120;

/// The instants from a block's first event in a phase to its last.
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;
  bool there() const { return last > 0; }
};

class BlockView {
 public:
  BlockView(const MemoryTimeline& timeline, std::int64_t layer)
      : timeline_(timeline), layer_(layer), block_("layers." + std::to_string(layer)) {}

  bool holds(const std::string& module) const {
    return module == block_ || module.starts_with(block_ + "/");
  }

  /// Returns the path inside the block: "layers.1/attn/q_proj" → "attn/q_proj"; empty for the block
  /// itself.
  std::string inside(const std::string& module) const {
    return holds(module) && module != block_ ? module.substr(block_.size() + 1) : "";
  }

  Stretch stretch(std::string_view phase) const {
    Stretch found;
    for (std::size_t i = 1; i < timeline_.instants.size(); ++i) {
      const MemoryOrigin& origin = *timeline_.origin(timeline_.instants[i]);
      if (origin.phase != phase || !holds(origin.module)) continue;
      if (!found.there()) found.first = i;
      found.last = i;
    }
    return found;
  }

  /// Returns the instant at which backward leaves the block, just before the next block's first
  /// event.
  std::size_t backward_end() const {
    const std::size_t last = stretch(metric::kBackward).last;
    if (layer_ == 0) return last;
    const Stretch next = BlockView(timeline_, layer_ - 1).stretch(metric::kBackward);
    return next.there() ? next.first - 1 : last;
  }

  /// True if the block allocated it in that phase.
  bool made(const MemoryLifetime& lifetime, std::string_view phase) const {
    if (lifetime.made == 0) return false;
    const MemoryOrigin& origin =
        timeline_.history.origin(event_of(timeline_.history, lifetime.made));
    return origin.phase == phase && holds(origin.module);
  }

 private:
  const MemoryTimeline& timeline_;
  std::int64_t layer_;
  std::string block_;
};

bool kept_for_backward(const MemoryTimeline& timeline, const MemoryLifetime& lifetime) {
  if (!lifetime.freed) return true;
  const std::string& phase =
      timeline.history.origin(event_of(timeline.history, *lifetime.freed)).phase;
  return phase != metric::kForward && phase != metric::kLoss;
}

using KeptKey = std::tuple<std::string, std::string, std::string, std::string>;
struct KeptSum {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

std::map<KeptKey, KeptSum> kept_by(const MemoryTimeline& timeline, const BlockView& block) {
  std::map<KeptKey, KeptSum> sums;
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    if (!block.made(lifetime, metric::kForward) || !kept_for_backward(timeline, lifetime)) continue;
    const MemoryOrigin& origin = timeline.history.origin(event_of(timeline.history, lifetime.made));
    KeptSum& sum = sums[{block.inside(origin.module), origin.operation, origin.op,
                         std::string(name(lifetime.category))}];
    sum.bytes += lifetime.requested;
    ++sum.count;
  }
  return sums;
}

Table kept_table(const std::map<KeptKey, KeptSum>& sums) {
  Table table = shape::block();
  for (const auto& [key, sum] : sums) {
    const auto& [module, operation, op, category] = key;
    table.rows.push_back(
        {std::string(metric::kKept), module, operation, op, category, sum.bytes, sum.count});
  }
  std::ranges::stable_sort(table.rows, std::greater(), [](const auto& row) { return row[5]; });
  return table;
}

/// Adds rows from the instant before the block's first event to its last.
void add_rows(const MemoryTimeline& timeline, const BlockView& block, std::string_view phase,
              Table& table) {
  const Stretch stretch = block.stretch(phase);
  if (!stretch.there()) return;
  for (const std::size_t i :
       extremes(timeline, stretch.first - 1, stretch.last, kMostBlockRows / 2)) {
    const MemoryInstant& instant = timeline.instants[i];
    const MemoryOrigin* origin = timeline.origin(instant);  // null before the first event
    table.rows.push_back({static_cast<std::int64_t>(instant.event), timeline.time_ns(instant),
                          std::string(phase), origin ? block.inside(origin->module) : "",
                          instant.total(), instant.allocated});
  }
}

Table zoomed(const MemoryTimeline& timeline, const BlockView& block) {
  Table table = shape::block_timeline();
  add_rows(timeline, block, metric::kForward, table);
  add_rows(timeline, block, metric::kBackward, table);
  return table;
}

std::int64_t gradients_of(const MemoryTimeline& timeline, const BlockView& block) {
  std::int64_t bytes = 0;
  for (const MemoryLifetime& lifetime : timeline.found.lifetimes) {
    const bool gradient = lifetime.category == MemoryCategory::kGradients;
    if (gradient && block.made(lifetime, metric::kBackward)) bytes += lifetime.requested;
  }
  return bytes;
}

Metric block_metric(std::string_view name, std::int64_t bytes) {
  return integer_metric(metric::kBlock, name, "B", bytes);
}

std::vector<Metric> metrics_of(const MemoryTimeline& timeline, const BlockView& block,
                               const std::map<KeptKey, KeptSum>& sums) {
  std::int64_t kept = 0;
  for (const auto& [key, sum] : sums) kept += sum.bytes;
  const Stretch backward = block.stretch(metric::kBackward);
  if (!backward.there()) return {block_metric(metric::kKept, kept)};
  const auto& instants = timeline.instants;
  return {block_metric(metric::kKept, kept),
          block_metric(metric::kBeforeBackward, instants[backward.first - 1].total()),
          block_metric(metric::kAfterBackward, instants[block.backward_end()].total()),
          block_metric(metric::kGradients, gradients_of(timeline, block))};
}

}  // namespace

BlockMemory block_memory(const MemoryTimeline& timeline) {
  for (const std::int64_t layer : {1, 0}) {
    const BlockView block(timeline, layer);
    if (!block.stretch(metric::kForward).there()) continue;
    const auto kept = kept_by(timeline, block);
    return {metrics_of(timeline, block, kept), {kept_table(kept), zoomed(timeline, block)}};
  }
  return {};
}

}  // namespace labreport
