// Runs the cells that a planner returns, one worker at a time on each slot.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/redaction.h"
#include "orchestrate/group.h"
#include "orchestrate/launch.h"
#include "orchestrate/progress.h"
#include "orchestrate/queue.h"
#include "plan/planner.h"

namespace labreport {

/// Returns all cells to measure, in the report's order, as far as the results so far decide it.
using PlanCells = std::function<std::vector<PlannedCell>(const Run& so_far)>;

struct PoolSetup {
  WorkerSetup worker;
  std::vector<Slot> slots;
  std::int64_t seed = 0;
  std::function<double(const CellSpec&)> estimate_seconds;  ///< Estimates one launch.
  /// Counts the processes on a slot's device while no worker runs there; may be empty.
  std::function<std::int64_t(const Slot&)> count_other_processes = {};
  /// If present, these names are removed from workers' messages before the messages are stored.
  std::optional<PrivateNames> private_names = {};
  std::vector<Slot> rank_only_slots = {};  ///< Only for launches of several ranks.
  bool gpus_are_named = false;             ///< The user chose some of the host's GPUs with --gpus.
  double collective_limit_seconds = kCollectiveLimitSeconds;
};

enum class PoolStatus { kComplete, kInterrupted };

class Pool {
 public:
  /// `run` must have its sessions, and `store` must hold it.
  Pool(Run& run, const RunStore& store, PlanCells plan, PoolSetup setup, ProgressDisplay& display);

  /// Runs until the planner returns nothing new. Each launch is on disk before the next begins on
  /// its slot; at the end all launches are merged into run.json. An interrupt ends the workers and
  /// keeps the finished launches. Throws `InputError` if a device turns out to be unusable.
  PoolStatus run();

 private:
  struct RunningLaunch {
    LaunchRequest request;
    std::vector<std::size_t> slots;
    double limit_seconds;
    std::optional<std::int64_t> oom_kills_before;  ///< The host's out-of-memory kills at the start.
    std::vector<Subprocesses::Ticket> tickets = {};            ///< One for each process.
    std::vector<std::optional<RankResult>> rank_results = {};  ///< Empty while the process runs.
    bool is_stopping = false;  ///< True once a process has failed and the others are asked to end.
  };
  using RunningLaunches = std::list<RunningLaunch>;

  bool plan_more();
  void fill_slots();
  std::vector<std::size_t> free_slots(const CellSpec& spec) const;
  bool has_room(const CellSpec& spec) const;
  bool skip_if_impossible(const LaunchQueue::Item& item);
  void start(const LaunchQueue::Item& item);
  /// Returns the seconds after which a collective of the launch counts as hung.
  double collective_limit_seconds(const RunningLaunch& running) const;
  void start_ranks(RunningLaunch& running);
  void on_process_end(Subprocesses::Ticket ticket, const CompletedProcess& process);
  void finish_launch(const RunningLaunch& running, LaunchResult result);
  void note_other_processes(Launch& launch, const Slot& slot) const;
  void store_launch(const CellSpec& spec, Launch launch, const std::optional<Device>& device);
  void update_software(const std::optional<Software>& software);
  void drop_superfluous_cells();
  void sort_cells_as_planned();
  RunProgress progress() const { return queue_.progress(setup_.slots.size()); }

  Run& run_;
  const RunStore& store_;
  PlanCells plan_;
  PoolSetup setup_;
  ProgressDisplay& display_;
  Subprocesses processes_;
  LaunchQueue queue_;
  std::set<std::string> added_cell_ids_;  ///< The cells that this object added to the run.
  std::vector<Slot> slots_;               ///< The setup's slots, then its `rank_only_slots`.
  RunningLaunches running_;
};

}  // namespace labreport
