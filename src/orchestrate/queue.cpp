#include "orchestrate/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/stamp.h"
#include "results/run.h"

namespace labreport {
namespace {

// The ratio of actual to estimated seconds scales the time left. Both sides get these seconds more,
// so that a single launch does not distort it.
constexpr double kConfirmedSeconds = 10;

}  // namespace

bool LaunchQueue::plan(const std::vector<PlannedCell>& planned, const Run& run) {
  pending_.clear();
  pending_seconds_ = 0;
  positions_.clear();
  done_ = 0;
  std::int64_t rounds = 0;
  std::vector<PlannedCell> wanted = planned;
  for (PlannedCell& cell : wanted) {
    const std::string id = cell_id(cell.spec);
    const Cell* known = run.find(id);
    if (known != nullptr && std::ranges::any_of(known->launches, ran_out_of_memory_beside_others)) {
      ++cell.launches;
    }
    positions_.emplace(id, positions_.size());
    rounds = std::max(rounds, cell.launches);
  }
  for (std::int64_t launch = 0; launch < rounds; ++launch) {
    for (const PlannedCell* cell : round(wanted, launch)) {
      const Cell* known = run.find(cell_id(cell->spec));
      const bool measured =
          known != nullptr && launch < static_cast<std::int64_t>(known->launches.size());
      if (measured) {
        ++done_;
      } else {
        pending_.push_back({cell->spec, launch, cell->gpu_trace});
        pending_seconds_ += estimate_(cell->spec);
      }
    }
  }
  return !pending_.empty();
}

std::vector<const PlannedCell*> LaunchQueue::round(const std::vector<PlannedCell>& wanted,
                                                   std::int64_t launch) const {
  std::vector<std::pair<std::string, const PlannedCell*>> keyed;
  for (const PlannedCell& cell : wanted) {
    if (launch >= cell.launches) continue;
    const std::string key =
        launch == 0 ? "" : content_hash(fmt::format("{} {} {}", seed_, launch, cell_id(cell.spec)));
    keyed.emplace_back(key, &cell);
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
  const auto free = std::find_if(pending_.begin(), pending_.end(), [&](const Item& item) {
    return has_room(item.spec) && !running_.contains(cell_id(item.spec));
  });
  if (free == pending_.end()) return std::nullopt;
  Item item = std::move(*free);
  pending_.erase(free);
  const double seconds = estimate_(item.spec);
  running_[cell_id(item.spec)] = seconds;
  pending_seconds_ = pending_.empty() ? 0 : pending_seconds_ - seconds;
  return item;
}

void LaunchQueue::finished(const CellSpec& spec, double seconds) {
  const auto running = running_.extract(cell_id(spec));
  ++done_;
  if (seconds <= 0) return;  // it was skipped
  estimated_ += running.mapped();
  actual_ += seconds;
}

Standing LaunchQueue::standing(std::size_t slots) const {
  Standing standing{done_, done_ + pending_.size() + running_.size(), pending_seconds_};
  for (const auto& [id, seconds] : running_) standing.left_seconds += seconds;
  standing.left_seconds /= static_cast<double>(std::max<std::size_t>(1, slots));
  standing.left_seconds *= (actual_ + kConfirmedSeconds) / (estimated_ + kConfirmedSeconds);
  return standing;
}

std::size_t LaunchQueue::position(const std::string& id) const {
  const auto found = positions_.find(id);
  return found == positions_.end() ? positions_.size() : found->second;
}

}  // namespace labreport
