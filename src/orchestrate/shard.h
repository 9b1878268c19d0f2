// Divides a plan into parts, each measured by a separate task that knows of no other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/planner.h"

namespace labreport {

/// "2/4": the second of four parts of a plan.
struct Shard {
  std::int64_t number = 1;
  std::int64_t of = 1;

  bool operator==(const Shard&) const = default;
};

/// Throws `InputError`.
Shard parse_shard(const std::string& text);

std::string words(const Shard& shard);  ///< "shard 2/4"

/// The group of a cell. A group stays in one part: its cells are compared row by row in a report,
/// or planned by each other's results. Cells with ranks form one group, and other cells one for
/// each kind. Timings and profiles are grouped further by network shape and batch, timings also by
/// context, and attention by method and head width.
std::string shard_group(const CellSpec& spec);

/// Seconds that a cell of the group takes.
struct GroupTime {
  std::string group;
  double seconds = 0;
};

/// Assigns each group a part, from 0: the longest group first, each to the part with the fewest
/// seconds so far. Depends only on the cells.
std::map<std::string, std::size_t> partition(const std::vector<GroupTime>& cells,
                                             std::size_t parts);

class Shards {
 public:
  /// `cells` are all that are planned or foreseen, with estimated seconds of all their launches.
  /// Cells that measure a device's limits are in every part. Throws `InputError` if a part would
  /// have no other cells.
  Shards(const std::vector<std::pair<CellSpec, double>>& cells, std::int64_t of);

  /// Returns the cells of `planned` in part `number`, from 1. Cells of an unforeseen group are in
  /// it, too: this task's results added them.
  std::vector<PlannedCell> part(std::vector<PlannedCell> planned, std::int64_t number) const;

  double speedup() const;       ///< Speedup of parallel tasks over a single one.
  double most_speedup() const;  ///< The limit of any number of tasks, set by the largest group.

 private:
  std::map<std::string, std::size_t> parts_;
  double everywhere_ = 0, all_ = 0, longest_part_ = 0, longest_group_ = 0;  ///< Seconds.
};

}  // namespace labreport
