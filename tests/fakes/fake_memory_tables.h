// A memory cell's tables as a worker writes them.
#pragma once

#include <set>

#include "fake_memory_step.h"
#include "results/metric_names.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport::fake_memory {

using Row = std::vector<Scalar>;

/// Returns indices of about `count` states, of the peak, and of each phase's first and last state.
inline std::set<std::size_t> thinned(const std::vector<MemoryState>& states, std::size_t count) {
  std::set<std::size_t> kept{0, states.size() - 1};
  std::size_t peak = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].requested() > states[peak].requested()) peak = i;
    if (i > 0 && states[i].phase != states[i - 1].phase) kept.insert({i - 1, i});
  }
  kept.insert(peak);
  for (std::size_t i = 0; i < states.size(); i += states.size() / count + 1) kept.insert(i);
  return kept;
}

inline Table timeline(const std::vector<MemoryState>& states) {
  Table table = empty_table(metric::kTimeline, {kCategories.begin(), kCategories.end()});
  for (const std::size_t i : thinned(states, 300)) {
    Row row{states[i].event, states[i].ns, states[i].phase};
    for (const auto category : kCategories) {
      const auto found = states[i].bytes.find(category);
      row.emplace_back(found == states[i].bytes.end() ? std::int64_t{0} : found->second);
    }
    row.emplace_back(states[i].allocated);
    table.rows.push_back(std::move(row));
  }
  return table;
}

inline Scalar value_or_null(const std::optional<std::int64_t>& value) {
  return value ? Scalar(*value) : Scalar();
}

inline Table allocations(const std::vector<Block>& blocks, std::int64_t last_event) {
  Table table = empty_table(metric::kAllocations);
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < blocks.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
  const auto negative_byte_events = [&](std::int64_t i) {
    const Block& block = blocks[static_cast<std::size_t>(i)];
    return -static_cast<double>(block.bytes) *
           static_cast<double>(block.freed_event.value_or(last_event) - block.event);
  };
  std::ranges::stable_sort(order, {}, negative_byte_events);
  order.resize(std::min<std::size_t>(order.size(), 150));
  for (const std::int64_t i : order) {
    const Block& block = blocks[static_cast<std::size_t>(i)];
    table.rows.push_back({i, block.bytes, block.event, value_or_null(block.freed_event), block.ns,
                          block.freed_event ? Scalar(block.freed_ns) : Scalar(), block.phase,
                          block.freed_phase, block.origin.module, block.origin.outer_op,
                          block.origin.inner_op, std::string(block.origin.category)});
  }
  return table;
}

inline Table largest(const std::vector<Block>& blocks, std::int64_t layers) {
  Table table = empty_table(metric::kLargest);
  for (const Block& block : blocks) {
    if (block.phase != metric::kForward) continue;
    const std::string module = without_layer(block.origin.module);
    const auto known = std::ranges::find_if(table.rows, [&](const Row& row) {
      return row[0] == Scalar(block.bytes) && row[2] == Scalar(module) &&
             row[4] == Scalar(block.origin.inner_op);
    });
    if (known != table.rows.end()) {
      (*known)[1] = std::get<std::int64_t>((*known)[1]) + 1;
      continue;
    }
    const std::string freed_in = !block.freed_event                 ? "kept"
                                 : block.freed_phase == block.phase ? "in the same module"
                                                                    : block.freed_phase;
    const bool is_in_layer = module.starts_with("layers/");
    table.rows.push_back({block.bytes, std::int64_t{1}, module, block.origin.outer_op,
                          block.origin.inner_op, std::string(block.origin.category), freed_in,
                          is_in_layer ? "0–" + std::to_string(layers - 1) : std::string()});
  }
  std::ranges::stable_sort(table.rows, std::greater(),
                           [](const Row& row) { return std::get<std::int64_t>(row[0]); });
  table.rows.resize(std::min<std::size_t>(table.rows.size(), 25));
  return table;
}

inline bool is_in_second_block(const std::string& module) {
  return module == "layers.1" || module.starts_with("layers.1/");
}

/// Removes the block's own name from a path: "attn/q_proj". Empty for the block itself.
inline std::string path_in_block(const std::string& module) {
  const auto at = module.find('/');
  return at == module.npos ? "" : module.substr(at + 1);
}

inline Table block_kept(const std::vector<Block>& blocks) {
  Table table = empty_table(metric::kBlock);
  for (const Block& block : blocks) {
    const bool is_kept = is_in_second_block(block.origin.module) &&
                         block.phase == metric::kForward &&
                         block.origin.category == metric::kActivations;
    if (!is_kept) continue;
    const std::string module = path_in_block(block.origin.module);
    const auto known = std::ranges::find_if(table.rows, [&](const Row& row) {
      return row[1] == Scalar(module) && row[3] == Scalar(block.origin.inner_op);
    });
    if (known != table.rows.end()) {
      (*known)[5] = std::get<std::int64_t>((*known)[5]) + block.bytes;
      (*known)[6] = std::get<std::int64_t>((*known)[6]) + 1;
      continue;
    }
    table.rows.push_back({std::string(metric::kKept), module, block.origin.outer_op,
                          block.origin.inner_op, std::string(block.origin.category), block.bytes,
                          std::int64_t{1}});
  }
  return table;
}

inline Table block_timeline(const std::vector<MemoryState>& states) {
  Table table = empty_table(metric::kBlockTimeline);
  for (const MemoryState& state : states) {
    const bool is_shown = is_in_second_block(state.module) &&
                          (state.phase == metric::kForward || state.phase == metric::kBackward);
    if (!is_shown) continue;
    table.rows.push_back({state.event, state.ns, state.phase, path_in_block(state.module),
                          state.requested(), state.allocated});
  }
  return table;
}

}  // namespace labreport::fake_memory
