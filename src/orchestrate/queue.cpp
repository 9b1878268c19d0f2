#include "orchestrate/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/stamp.h"
#include "results/run.h"

namespace labreport {
namespace {

// The remaining time is scaled by the ratio of actual to estimated seconds. These seconds are added
// to both, so that a single launch does not distort the ratio.
constexpr double kPriorSeconds = 10;

}  // namespace

bool LaunchQueue::plan(const std::vector<PlannedCell>& planned, const Run& run) {
  pending_.clear();
  pending_seconds_ = 0;
  positions_.clear();
  done_ = 0;
  std::int64_t rounds = 0;
  std::vector<PlannedCell> cells = planned;
  for (PlannedCell& cell : cells) {
    const std::string id = cell_id(cell.spec);
    const Cell* measured_cell = run.find(id);
    if (measured_cell != nullptr &&
        std::ranges::any_of(measured_cell->launches, ran_out_of_memory_beside_others)) {
      ++cell.launches;
    }
    positions_.emplace(id, positions_.size());
    rounds = std::max(rounds, cell.launches);
  }
  for (std::int64_t launch = 0; launch < rounds; ++launch) {
    for (const PlannedCell* cell : cells_of_round(cells, launch)) {
      const Cell* measured_cell = run.find(cell_id(cell->spec));
      const bool is_measured = measured_cell != nullptr &&
                               launch < static_cast<std::int64_t>(measured_cell->launches.size());
      if (is_measured) {
        ++done_;
      } else {
        pending_.push_back({cell->spec, launch, cell->gpu_trace});
        pending_seconds_ += estimate_seconds_(cell->spec);
      }
    }
  }
  return !pending_.empty();
}

std::vector<const PlannedCell*> LaunchQueue::cells_of_round(const std::vector<PlannedCell>& planned,
                                                            std::int64_t round) const {
  std::vector<std::pair<std::string, const PlannedCell*>> keyed;
  for (const PlannedCell& cell : planned) {
    if (round >= cell.launches) continue;
    const std::string sort_key =
        round == 0 ? "" : content_hash(fmt::format("{} {} {}", seed_, round, cell_id(cell.spec)));
    keyed.emplace_back(sort_key, &cell);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const PlannedCell*> cells;
  cells.reserve(keyed.size());
  for (const auto& [key, cell] : keyed) cells.push_back(cell);
  return cells;
}

std::optional<LaunchQueue::Item> LaunchQueue::next(
    const std::function<bool(const CellSpec&)>& has_room) {
  const auto startable = std::find_if(pending_.begin(), pending_.end(), [&](const Item& item) {
    return has_room(item.spec) && !running_seconds_.contains(cell_id(item.spec));
  });
  if (startable == pending_.end()) return std::nullopt;
  Item item = std::move(*startable);
  pending_.erase(startable);
  const double seconds = estimate_seconds_(item.spec);
  running_seconds_[cell_id(item.spec)] = seconds;
  pending_seconds_ = pending_.empty() ? 0 : pending_seconds_ - seconds;
  return item;
}

void LaunchQueue::mark_finished(const CellSpec& spec, double seconds) {
  const auto running = running_seconds_.extract(cell_id(spec));
  ++done_;
  if (seconds <= 0) return;  // A skipped launch says nothing about the estimates.
  estimated_seconds_ += running.mapped();
  actual_seconds_ += seconds;
}

RunProgress LaunchQueue::progress(std::size_t slots) const {
  RunProgress progress{done_, done_ + pending_.size() + running_seconds_.size(), pending_seconds_};
  for (const auto& [id, seconds] : running_seconds_) progress.remaining_seconds += seconds;
  progress.remaining_seconds /= static_cast<double>(std::max<std::size_t>(1, slots));
  progress.remaining_seconds *=
      (actual_seconds_ + kPriorSeconds) / (estimated_seconds_ + kPriorSeconds);
  return progress;
}

std::size_t LaunchQueue::position(const std::string& id) const {
  const auto found = positions_.find(id);
  return found == positions_.end() ? positions_.size() : found->second;
}

}  // namespace labreport
