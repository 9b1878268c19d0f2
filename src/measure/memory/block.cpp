#include "measure/memory/tables.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "results/metric_names.h"
#include "results/table_shapes.h"

namespace labreport {
namespace {

constexpr std::size_t kMaxRowsPerPhase = 60;

/// Indices of the instants at a block's first and last event in a phase; 0 without events.
struct InstantRange {
  std::size_t first = 0, last = 0;
  bool exists() const { return last > 0; }
};

class BlockView {
 public:
  BlockView(const MemoryTimeline& timeline, std::int64_t layer)
      : timeline_(timeline), layer_(layer), block_("layers." + std::to_string(layer)) {}

  bool contains_module(const std::string& module) const {
    return module == block_ || module.starts_with(block_ + "/");
  }

  /// Returns the path inside the block: "layers.1/attn/q_proj" → "attn/q_proj"; empty for the block
  /// itself.
  std::string inside(const std::string& module) const {
    return contains_module(module) && module != block_ ? module.substr(block_.size() + 1) : "";
  }

  InstantRange range(std::string_view phase) const {
    InstantRange result;
    for (std::size_t i = 1; i < timeline_.instants.size(); ++i) {
      const MemoryOrigin& origin = *timeline_.origin(timeline_.instants[i]);
      if (origin.phase != phase || !contains_module(origin.module)) continue;
      if (!result.exists()) result.first = i;
      result.last = i;
    }
    return result;
  }

  /// Returns the index of the last instant before backward enters the block below, or of this
  /// block's last event if there is no block below.
  std::size_t backward_end_index() const {
    const std::size_t last = range(metric::kBackward).last;
    if (layer_ == 0) return last;
    const InstantRange below = BlockView(timeline_, layer_ - 1).range(metric::kBackward);
    return below.exists() ? below.first - 1 : last;
  }

  bool allocated(const MemoryLifetime& lifetime, std::string_view phase) const {
    if (lifetime.made_event == 0) return false;
    const MemoryOrigin& origin = origin_of(timeline_.history, lifetime.made_event);
    return origin.phase == phase && contains_module(origin.module);
  }

 private:
  const MemoryTimeline& timeline_;
  std::int64_t layer_;
  std::string block_;
};

using KeptKey = std::tuple<std::string, std::string, std::string, std::string>;
struct KeptSum {
  std::int64_t bytes = 0, count = 0;
};

/// Sums what the block's forward pass allocates and keeps for backward, by module, operation,
/// operator and category.
std::map<KeptKey, KeptSum> sum_kept(const MemoryTimeline& timeline, const BlockView& block) {
  std::map<KeptKey, KeptSum> sums;
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    if (!block.allocated(lifetime, metric::kForward)) continue;
    if (lifetime.freed_event) {
      const std::string& phase = origin_of(timeline.history, *lifetime.freed_event).phase;
      if (phase == metric::kForward || phase == metric::kLoss) continue;
    }
    const MemoryOrigin& origin = origin_of(timeline.history, lifetime.made_event);
    KeptSum& sum = sums[{block.inside(origin.module), origin.outer_op, origin.inner_op,
                         std::string(name(lifetime.category))}];
    sum.bytes += lifetime.requested_bytes;
    ++sum.count;
  }
  return sums;
}

/// Adds rows from the instant before the block's first event to the instant of its last event.
void add_rows(const MemoryTimeline& timeline, const BlockView& block, std::string_view phase,
              Table& table) {
  const InstantRange range = block.range(phase);
  if (!range.exists()) return;
  for (const std::size_t i :
       extreme_indices(timeline, range.first - 1, range.last, kMaxRowsPerPhase)) {
    const MemoryInstant& instant = timeline.instants[i];
    const MemoryOrigin* origin = timeline.origin(instant);  // null before the first event
    table.rows.push_back({static_cast<std::int64_t>(instant.event_number),
                          timeline.time_ns(instant), std::string(phase),
                          origin ? block.inside(origin->module) : "", instant.total_requested(),
                          instant.allocated_bytes});
  }
}

std::vector<Metric> block_metrics(const MemoryTimeline& timeline, const BlockView& block,
                                  std::int64_t kept_bytes) {
  const auto bytes = [](std::string_view name, std::int64_t value) {
    return integer_metric(metric::kBlock, name, "B", value);
  };
  const InstantRange backward = block.range(metric::kBackward);
  if (!backward.exists()) return {bytes(metric::kKept, kept_bytes)};
  std::int64_t gradient_bytes = 0;
  for (const MemoryLifetime& lifetime : timeline.lifetimes.all) {
    const bool is_gradient = lifetime.category == MemoryCategory::kGradients;
    if (is_gradient && block.allocated(lifetime, metric::kBackward))
      gradient_bytes += lifetime.requested_bytes;
  }
  const auto& instants = timeline.instants;
  return {bytes(metric::kKept, kept_bytes),
          bytes(metric::kBeforeBackward, instants[backward.first - 1].total_requested()),
          bytes(metric::kAfterBackward, instants[block.backward_end_index()].total_requested()),
          bytes(metric::kGradients, gradient_bytes)};
}

}  // namespace

TransformerBlockMemory transformer_block_memory(const MemoryTimeline& timeline) {
  for (const std::int64_t layer : {1, 0}) {
    const BlockView block(timeline, layer);
    if (!block.range(metric::kForward).exists()) continue;
    Table kept = empty_table(metric::kBlock);
    std::int64_t kept_bytes = 0;
    for (const auto& [key, sum] : sum_kept(timeline, block)) {
      const auto& [module, operation, op, category] = key;
      kept.rows.push_back(
          {std::string(metric::kKept), module, operation, op, category, sum.bytes, sum.count});
      kept_bytes += sum.bytes;
    }
    const auto bytes_of = [](const std::vector<Scalar>& row) { return row[5]; };
    std::ranges::stable_sort(kept.rows, std::greater(), bytes_of);
    Table instants = empty_table(metric::kBlockTimeline);
    add_rows(timeline, block, metric::kForward, instants);
    add_rows(timeline, block, metric::kBackward, instants);
    return {block_metrics(timeline, block, kept_bytes), {std::move(kept), std::move(instants)}};
  }
  return {};
}

}  // namespace labreport
