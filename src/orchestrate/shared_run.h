// One of several tasks that measure a run together, a group of cells at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "orchestrate/claims.h"
#include "orchestrate/pool.h"
#include "orchestrate/shard.h"
#include "results/session_store.h"

namespace labreport {

struct SharedSetup {
  PoolSetup pool;
  Shard shard;
  std::chrono::milliseconds stale_after;
  std::string uuid_hash = {};  ///< Of the device; empty on a CPU.
};

/// How many groups of cells that stay on one device (`affinity_group`) the plan has, without the
/// limits that every device measures.
std::size_t group_count(const std::vector<PlannedCell>& wanted);

/// How many of the plan's launches the run lacks.
std::size_t missing_launches(const std::vector<PlannedCell>& wanted, const Run& run);

/// With every cell of the plan, in its order, as run.json has it.
Run in_planned_order(Run run, const std::vector<PlannedCell>& wanted);

class SharedRun {
 public:
  /// `head` has this task's session alone; the run's folder is made where no task made it before.
  SharedRun(const std::filesystem::path& folder, const Run& head, SharedSetup setup, PlanCells plan,
            Progress& progress);

  /// Takes one group after the other until nothing is left to do, and waits for those that others
  /// measure: what one of them leaves behind when it dies is measured here. The last one merges the
  /// run. A launch that a former session of the same shard left as the last of its cell, failed, is
  /// measured again. An interrupt ends the workers and gives the group back.
  RunEnd measure();

  /// As far as it is on the disk.
  Run load() const;

 private:
  std::vector<PlannedCell> wanted(const Run& so_far) const;
  std::vector<std::string> open_groups(const Run& run) const;
  bool is_to_repeat(const Run& run, const Cell& cell) const;
  void drop_failures_of(const std::string& group, Run& run) const;
  RunEnd measure_all();
  bool take_one(const std::vector<std::string>& groups);
  RunEnd measure_group(const std::string& group);
  bool merge();

  SessionStore store_;
  SharedSetup setup_;
  PlanCells plan_;
  Progress& progress_;
  Claims claims_;
  std::string taken_;
};

}  // namespace labreport
