// Divides a plan into parts, which independent tasks measure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/planner.h"

namespace labreport {

/// One part of a plan: "2/4" is the second of four parts.
struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;

  bool operator==(const Shard&) const = default;
};

/// Parses "2/4". Throws `InputError`.
Shard parse_shard(const std::string& text);

std::string shard_words(const Shard& shard);  ///< "shard 2/4"

/// Returns the group of a cell. A group stays in one part, because a report compares its cells row
/// by row, or because results of some of its cells decide which others are planned. Cells with
/// ranks form one group, and other cells one for each kind. Timings and profiles are grouped
/// further by network shape and batch, timings also by context, and attention by method and head
/// width.
std::string shard_group(const CellSpec& spec);

struct CellTime {
  std::string group;
  double seconds = 0;
};

/// Returns the part of each group, from 0 to `parts` − 1. The longest group comes first, and each
/// goes to the part that has the fewest seconds so far. The result depends only on the arguments.
std::map<std::string, std::size_t> partition(const std::vector<CellTime>& cells, std::size_t parts);

class Shards {
 public:
  /// `cells` are all planned or foreseen cells, each with the estimated seconds of all its
  /// launches. Cells that measure a device's limits are in every part. Throws `InputError` if a
  /// part would have no other cells.
  Shards(const std::vector<std::pair<CellSpec, double>>& cells, std::int64_t count);

  /// Returns the cells of `planned` that part `number` measures, from 1. It also measures cells of
  /// an unforeseen group, because only its own results can have added them.
  std::vector<PlannedCell> part(std::vector<PlannedCell> planned, std::int64_t number) const;

  double speedup() const;      ///< Speedup of one task for each part over a single task.
  double max_speedup() const;  ///< No number of tasks has a larger speedup.

 private:
  std::map<std::string, std::size_t> parts_;
  double every_part_seconds_ = 0, total_seconds_ = 0;
  double longest_part_seconds_ = 0, longest_group_seconds_ = 0;  ///< Include `every_part_seconds_`.
};

}  // namespace labreport
