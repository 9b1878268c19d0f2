// An allocator that only counts, for the tables of a fake memory cell.
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
    metric::kParameters, metric::kGradients,   metric::kOptimizerStates,
    metric::kData,       metric::kActivations, metric::kWeightCopies,
    metric::kWorkspace,  metric::kTemporary,   metric::kUnknown};

struct Made {
  std::string module, operation, op;
  std::string_view category;
};

struct Block {
  std::int64_t bytes = 0;
  std::int64_t event = 0;
  std::int64_t ns = 0;
  std::string phase;
  Made made;
  std::optional<std::int64_t> freed;
  std::int64_t freed_ns = 0;
  std::string freed_phase;
};

struct Point {
  std::int64_t event, ns, allocated;
  std::string phase, module;
  std::map<std::string_view, std::int64_t> bytes;

  std::int64_t requested() const {
    std::int64_t sum = 0;
    for (const auto& [category, part] : bytes) sum += part;
    return sum;
  }
};

struct Refused {
  std::int64_t bytes;
};

class Allocator {
 public:
  explicit Allocator(std::int64_t capacity) : capacity_(capacity) {}

  /// Holds bytes from before the step, without an event.
  void hold(std::int64_t bytes, std::string_view category) {
    current_.bytes[category] += bytes;
    current_.allocated += rounded(bytes) + bytes / 100;
  }
  void begin() { points_ = {current_}; }
  void enter(std::string_view phase) { current_.phase = phase; }

  std::size_t make(std::int64_t bytes, Made made) {
    if (current_.allocated + rounded(bytes) > capacity_) throw Refused{bytes};
    current_.bytes[made.category] += bytes;
    current_.allocated += rounded(bytes);
    current_.module = made.module;
    step(bytes);
    blocks_.push_back(
        {bytes, current_.event, current_.ns, current_.phase, std::move(made), {}, 0, {}});
    return blocks_.size() - 1;
  }

  void free(std::size_t id, const std::string& module = "") {
    Block& block = blocks_[id];
    current_.bytes[block.made.category] -= block.bytes;
    current_.allocated -= rounded(block.bytes);
    current_.module = module.empty() ? block.made.module : module;
    step(0);
    block.freed = current_.event;
    block.freed_ns = current_.ns;
    block.freed_phase = current_.phase;
  }

  /// Frees a block from before the step.
  void release(std::int64_t bytes, std::string_view category) {
    current_.bytes[category] -= bytes;
    current_.allocated -= rounded(bytes);
    step(0);
  }

  void pass(std::int64_t bytes, const Made& made) { free(make(bytes, made)); }

  const std::vector<Point>& points() const { return points_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const Point& now() const { return current_; }

 private:
  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 511) / 512 * 512; }
  void step(std::int64_t bytes) {
    ++current_.event;
    current_.ns += 20'000 + bytes / 2000;
    points_.push_back(current_);
  }

  std::int64_t capacity_;
  Point current_{0, 0, 0, "", "", {}};
  std::vector<Point> points_;
  std::vector<Block> blocks_;
};

}  // namespace labreport::fake_memory
