// Runs the cells that a planner asks for, one worker at a time on each slot. It knows no
// experiment.
#pragma once

#include <functional>
#include <list>
#include <map>
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

/// Maps results so far to all wanted cells, in the order of the report.
using PlanCells = std::function<std::vector<PlannedCell>(const Run& so_far)>;

struct PoolSetup {
  WorkerSetup worker;
  std::vector<Slot> slots;
  std::int64_t seed = 0;
  std::function<double(const CellSpec&)> estimate;  ///< Seconds of one launch.
  /// Counts the processes on a slot's device, at a time without a worker there; may be empty.
  std::function<std::int64_t(const Slot&)> other_processes = {};
  /// Names that are removed from workers' messages before these are stored.
  std::optional<PrivateNames> private_names = {};
  std::vector<Slot> more_slots = {};  ///< Only for launches of several ranks.
  bool named_gpus = false;            ///< The user chose the slots' GPUs among the host's.
  double collective_seconds = kCollectiveSeconds;
};

enum class RunEnd { kComplete, kInterrupted };

class Pool {
 public:
  /// `run` must have its sessions, and `store` must hold it.
  Pool(Run& run, const RunStore& store, PlanCells plan, PoolSetup setup, Progress& progress);

  /// Runs until the planner asks for nothing new. Each launch is on disk before the next begins on
  /// its slot; at the end everything is merged into run.json. An interrupt ends the workers and
  /// keeps what is finished. Throws `InputError` if a device turns out to be unusable.
  RunEnd run();

 private:
  struct RunningLaunch {
    LaunchRequest request;
    std::vector<std::size_t> slots;
    double limit_seconds;
    std::optional<std::int64_t> kills_before;  ///< The host's out-of-memory kills at the start.
    std::vector<Subprocesses::Ticket> tickets = {};  ///< One for each rank.
    std::vector<std::optional<RankEnd>> ends = {};
    bool stopping = false;  ///< A rank has failed, and the others are asked to end.
  };
  using RunningLaunches = std::list<RunningLaunch>;

  bool plan();
  void fill_slots();
  std::vector<std::size_t> free_slots(const CellSpec& spec) const;
  bool has_room(const CellSpec& spec) const;
  bool skip(const LaunchQueue::Item& item);
  void start(const LaunchQueue::Item& item);
  void start_ranks(RunningLaunch& running);
  void finished(Subprocesses::Ticket ticket, const Ended& ended);
  void finish(const RunningLaunch& running, Answer answer);
  void note_other_processes(Launch& launch, const Slot& slot) const;
  void keep(const CellSpec& spec, Launch launch, const std::optional<Device>& device);
  void update_software(const std::optional<Software>& software);
  void drop_superfluous();
  void put_in_planned_order();
  Standing standing() const { return queue_.standing(setup_.slots.size()); }

  Run& run_;
  const RunStore& store_;
  PlanCells plan_;
  PoolSetup setup_;
  Progress& progress_;
  Subprocesses processes_;
  LaunchQueue queue_;
  std::set<std::string> added_;  ///< Ids of the cells that this object added to the run.
  std::vector<Slot> slots_;      ///< The setup's slots, then those for several ranks only.
  RunningLaunches running_;
};

}  // namespace labreport
