// Chooses the next launch and estimates the time of the rest.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrate/progress.h"
#include "plan/planner.h"

namespace labreport {

/// Holds the planned launches in rounds: the first launch of every cell, then the second of every
/// cell, and so on. So the launches of one cell spread over the run. The first round is in the
/// plan's order. Each later round is shuffled differently, because a cell inherits heat and caches
/// from the cell before it, which must not always be the same one. The order depends only on seed,
/// round and cell: neither a resumed run nor cells that are planned later change the order of the
/// rest. At most one launch of a cell runs at a time.
class LaunchQueue {
 public:
  explicit LaunchQueue(std::function<double(const CellSpec&)> estimate_seconds,
                       std::int64_t seed = 0)
      : estimate_seconds_(std::move(estimate_seconds)), seed_(seed) {}

  /// Replaces the plan; `run` holds the finished launches. Returns true if launches remain to do. A
  /// cell that ran out of memory beside other processes is launched once more than planned.
  bool plan(const std::vector<PlannedCell>& planned, const Run& run);

  struct Item {
    CellSpec spec;
    std::int64_t launch = 0;
    bool gpu_trace = false;
  };
  /// Removes and returns the next launch that may start now and for which `has_room` holds. It
  /// counts as running until `mark_finished`.
  std::optional<Item> next(const std::function<bool(const CellSpec&)>& has_room =
                               [](const CellSpec&) { return true; });
  /// `seconds` is the launch's wall time; 0 if it was skipped.
  void mark_finished(const CellSpec& spec, double seconds);

  bool idle() const { return pending_.empty() && running_seconds_.empty(); }
  RunProgress progress(std::size_t slots) const;

  /// True if the plan has a cell with this id.
  bool is_planned(const std::string& id) const { return positions_.contains(id); }

  /// Returns the cell's position in the plan; the number of planned cells if it is not planned.
  std::size_t position(const std::string& id) const;

 private:
  /// Returns the cells of one round in the order in which they are launched.
  std::vector<const PlannedCell*> cells_of_round(const std::vector<PlannedCell>& planned,
                                                 std::int64_t round) const;

  std::function<double(const CellSpec&)> estimate_seconds_;
  std::int64_t seed_;
  std::deque<Item> pending_;
  double pending_seconds_ = 0;                     ///< Estimated sum over `pending_`.
  std::map<std::string, double> running_seconds_;  ///< Estimates by cell id.
  std::map<std::string, std::size_t> positions_;
  std::size_t done_ = 0;
  double estimated_seconds_ = 0;  ///< Estimated seconds of the launches measured in this session.
  double actual_seconds_ = 0;     ///< Actual seconds of those launches.
};

}  // namespace labreport
