// A memory cell's tables as a worker writes them.
#pragma once

#include <set>

#include "fake_memory_step.h"
#include "results/module_path.h"
#include "results/table_shapes.h"

namespace labreport::fake_memory {

using Row = std::vector<Scalar>;

/// Keeps every n-th row, the peak and the ends of phases.
inline std::set<std::size_t> thinned(const std::vector<Point>& points, std::size_t most) {
  std::set<std::size_t> kept{0, points.size() - 1};
  std::size_t peak = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].requested() > points[peak].requested()) peak = i;
    if (i > 0 && points[i].phase != points[i - 1].phase) kept.insert({i - 1, i});
  }
  kept.insert(peak);
  for (std::size_t i = 0; i < points.size(); i += points.size() / most + 1) kept.insert(i);
  return kept;
}

inline Table timeline(const std::vector<Point>& points) {
  Table table = shape::timeline({kCategories.begin(), kCategories.end()});
  for (const std::size_t i : thinned(points, 300)) {
    Row row{points[i].event, points[i].ns, points[i].phase};
    for (const auto category : kCategories) {
      const auto found = points[i].bytes.find(category);
      row.emplace_back(found == points[i].bytes.end() ? std::int64_t{0} : found->second);
    }
    row.emplace_back(points[i].allocated);
    table.rows.push_back(std::move(row));
  }
  return table;
}

inline Scalar or_null(const std::optional<std::int64_t>& value) {
  return value ? Scalar(*value) : Scalar();
}

inline Table allocations(const std::vector<Block>& blocks, std::int64_t last) {
  Table table = shape::allocations();
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < blocks.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
  const auto weight = [&](std::int64_t i) {
    const Block& block = blocks[static_cast<std::size_t>(i)];
    return -static_cast<double>(block.bytes) *
           static_cast<double>(block.freed.value_or(last) - block.event);
  };
  std::ranges::stable_sort(order, {}, weight);
  order.resize(std::min<std::size_t>(order.size(), 150));
  for (const std::int64_t i : order) {
    const Block& block = blocks[static_cast<std::size_t>(i)];
    table.rows.push_back({i, block.bytes, block.event, or_null(block.freed), block.ns,
                          block.freed ? Scalar(block.freed_ns) : Scalar(), block.phase,
                          block.freed_phase, block.made.module, block.made.operation, block.made.op,
                          std::string(block.made.category)});
  }
  return table;
}

inline Table largest(const std::vector<Block>& blocks, std::int64_t layers) {
  Table table = shape::largest();
  for (const Block& block : blocks) {
    if (block.phase != metric::kForward) continue;
    const std::string module = without_layer(block.made.module);
    const auto same = std::ranges::find_if(table.rows, [&](const Row& row) {
      return row[0] == Scalar(block.bytes) && row[2] == Scalar(module) &&
             row[4] == Scalar(block.made.op);
    });
    if (same != table.rows.end()) {
      (*same)[1] = std::get<std::int64_t>((*same)[1]) + 1;
      continue;
    }
    const std::string freed = !block.freed                       ? "kept"
                              : block.freed_phase == block.phase ? "in the same module"
                                                                 : block.freed_phase;
    const bool of_layers = module.starts_with("layers/");
    table.rows.push_back({block.bytes, std::int64_t{1}, module, block.made.operation, block.made.op,
                          std::string(block.made.category), freed,
                          of_layers ? "0–" + std::to_string(layers - 1) : std::string()});
  }
  std::ranges::stable_sort(table.rows, std::greater(),
                           [](const Row& row) { return std::get<std::int64_t>(row[0]); });
  table.rows.resize(std::min<std::size_t>(table.rows.size(), 25));
  return table;
}

inline bool of_second_block(const std::string& module) {
  return module == "layers.1" || module.starts_with("layers.1/");
}

/// "" of the block itself.
inline std::string inside(const std::string& module) {
  const auto at = module.find('/');
  return at == module.npos ? "" : module.substr(at + 1);
}

inline Table block_kept(const std::vector<Block>& blocks) {
  Table table = shape::block();
  for (const Block& block : blocks) {
    const bool kept = of_second_block(block.made.module) && block.phase == metric::kForward &&
                      block.made.category == metric::kActivations;
    if (!kept) continue;
    const std::string module = inside(block.made.module);
    const auto same = std::ranges::find_if(table.rows, [&](const Row& row) {
      return row[1] == Scalar(module) && row[3] == Scalar(block.made.op);
    });
    if (same != table.rows.end()) {
      (*same)[5] = std::get<std::int64_t>((*same)[5]) + block.bytes;
      (*same)[6] = std::get<std::int64_t>((*same)[6]) + 1;
      continue;
    }
    table.rows.push_back({std::string(metric::kKept), module, block.made.operation, block.made.op,
                          std::string(block.made.category), block.bytes, std::int64_t{1}});
  }
  return table;
}

inline Table block_timeline(const std::vector<Point>& points) {
  Table table = shape::block_timeline();
  for (const Point& point : points) {
    const bool wanted = of_second_block(point.module) &&
                        (point.phase == metric::kForward || point.phase == metric::kBackward);
    if (!wanted) continue;
    table.rows.push_back({point.event, point.ns, point.phase, inside(point.module),
                          point.requested(), point.allocated});
  }
  return table;
}

}  // namespace labreport::fake_memory
