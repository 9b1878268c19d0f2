// Runs whatever a planner asks for, one worker at a time on each slot. Knows no experiment.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/redaction.h"
#include "orchestrate/launch.h"
#include "orchestrate/progress.h"
#include "orchestrate/queue.h"
#include "plan/planner.h"

namespace labreport {

/// Results so far → all cells wanted, in the order of the report.
using PlanCells = std::function<std::vector<PlannedCell>(const Run& so_far)>;

struct PoolSetup {
  WorkerSetup worker;
  std::vector<Slot> slots;
  std::int64_t seed = 0;
  std::function<double(const CellSpec&)> estimate;  ///< Seconds of one launch.
  /// Adds to the run what follows from all its launches, before it is written; may be empty.
  std::function<void(Run&)> conclude = {};
  /// How many processes are on a slot's device, while no worker is there; may be empty.
  std::function<std::int64_t(const Slot&)> other_processes = {};
  /// Left out of what workers say before it is kept.
  std::optional<PrivateNames> private_names = {};
  std::optional<std::size_t> session = {};  ///< This one's place in the run; absent: the last.
};

enum class RunEnd { kComplete, kInterrupted };

class Pool {
 public:
  /// `run` has its sessions; `store` holds it already.
  Pool(Run& run, const RunStore& store, PlanCells plan, PoolSetup setup, Progress& progress);

  /// Until the planner asks for nothing new. Each launch is on disk before the next begins on its
  /// slot; at the end everything is merged into run.json. An interrupt ends the workers and keeps
  /// what is finished. Throws `InputError` when a device turns out to be unusable.
  RunEnd run();

 private:
  struct Flight {
    LaunchRequest request;
    std::size_t slot;
    double limit_seconds;
    std::optional<std::int64_t> kills_before;
  };

  bool plan();
  void fill_slots();
  bool skip(const LaunchQueue::Item& item, const Slot& slot);
  LaunchRequest request_for(const LaunchQueue::Item& item) const;
  void start(LaunchRequest request, std::size_t slot);
  void land(const Flight& flight, const Ended& ended);
  void note_other_processes(Launch& launch, const Slot& slot) const;
  void keep(const CellSpec& spec, Launch launch, const std::optional<Device>& device);
  void learn(const std::optional<Software>& software);
  void drop_superfluous();
  void put_in_planned_order();
  std::size_t session() const { return setup_.session.value_or(run_.sessions.size() - 1); }
  Standing standing() const { return queue_.standing(setup_.slots.size()); }

  Run& run_;
  const RunStore& store_;
  PlanCells plan_;
  PoolSetup setup_;
  Progress& progress_;
  Subprocesses processes_;
  LaunchQueue queue_;
  std::set<std::string> added_;  ///< Cells that the run did not have before.
  std::map<Subprocesses::Ticket, Flight> flights_;
};

}  // namespace labreport
