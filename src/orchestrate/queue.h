// Chooses the next launch and estimates the time of the rest.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "orchestrate/progress.h"
#include "plan/planner.h"

namespace labreport {

/// Holds the wanted launches in rounds: the first launch of every cell, then the second of every
/// cell, …, so that launches of one cell spread over the run. The first round is in the plan's
/// order; each later one is shuffled differently, so that no cell always follows the same other
/// one, whose heat and caches it would inherit. The order depends only on seed, round and cell:
/// neither a resumed run nor cells that are planned later change the order of the rest. At most one
/// launch of a cell runs at a time.
class LaunchQueue {
 public:
  explicit LaunchQueue(std::function<double(const CellSpec&)> estimate, std::int64_t seed = 0)
      : estimate_(std::move(estimate)), seed_(seed) {}

  /// Takes the planner's answer; `run` holds the finished launches. True if launches are left to
  /// do. A cell that ran out of memory beside other processes is launched once more than planned.
  bool plan(const std::vector<PlannedCell>& planned, const Run& run);

  struct Item {
    CellSpec spec;
    std::int64_t launch = 0;
    bool gpu_trace = false;
  };
  /// The next launch that may start now and for which `has_room` holds; it counts as running until
  /// `finished`.
  std::optional<Item> next(const std::function<bool(const CellSpec&)>& has_room =
                               [](const CellSpec&) { return true; });
  void finished(const CellSpec& spec, double seconds);

  bool idle() const { return pending_.empty() && running_.empty(); }
  Standing standing(std::size_t slots) const;

  /// True if the plan has a cell of that name.
  bool wants(const std::string& id) const { return positions_.contains(id); }

  /// The position of a cell in the plan; after all others if it is not planned.
  std::size_t position(const std::string& id) const;

 private:
  /// Returns the cells of one round in the order of their launches.
  std::vector<const PlannedCell*> round(const std::vector<PlannedCell>& wanted,
                                        std::int64_t launch) const;

  std::function<double(const CellSpec&)> estimate_;
  std::int64_t seed_;
  std::deque<Item> pending_;
  double pending_seconds_ = 0;             ///< Estimated sum, so that `standing` is fast.
  std::map<std::string, double> running_;  ///< Estimated seconds by cell.
  std::map<std::string, std::size_t> positions_;
  std::size_t done_ = 0;
  double estimated_ = 0;  ///< Estimated seconds of the launches measured in this session.
  double actual_ = 0;     ///< Actual seconds of those launches.
};

}  // namespace labreport
