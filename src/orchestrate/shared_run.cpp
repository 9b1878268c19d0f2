#include "orchestrate/shared_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/messages.h"
#include "orchestrate/affinity.h"
#include "orchestrate/subprocess_interrupts.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kMerge = "merge";
constexpr milliseconds kLookEvery{1000};
constexpr int kTries = 5;

/// Gives signs of life with whatever happens, and counts the launches of the whole plan.
class TaskProgress : public Progress {
 public:
  TaskProgress(Progress& shown, Claims& claims, const Standing& others)
      : shown_(shown), claims_(claims), others_(others) {}

  void started(const CellSpec& spec, const Standing& standing) override {
    claims_.beat();
    shown_.started(spec, whole(standing));
  }
  void finished(const CellSpec& spec, const Launch& launch, const Standing& standing) override {
    claims_.beat();
    shown_.finished(spec, launch, whole(standing));
  }
  void tick(const Standing& standing) override {
    claims_.beat();
    shown_.tick(whole(standing));
  }
  std::optional<milliseconds> tick_every() const override {
    return std::min(shown_.tick_every().value_or(claims_.beat_every()), claims_.beat_every());
  }

 private:
  Standing whole(Standing standing) const {
    standing.done += others_.done;
    standing.total += others_.total;
    return standing;
  }

  Progress& shown_;
  Claims& claims_;
  Standing others_;
};

LaunchQueue queue_of(const std::vector<PlannedCell>& wanted, const Run& run) {
  LaunchQueue queue([](const CellSpec&) { return 1.0; });
  queue.plan(wanted, run);
  return queue;
}

std::vector<PlannedCell> of_group(const std::vector<PlannedCell>& wanted, const std::string& group,
                                  bool inside = true) {
  std::vector<PlannedCell> cells;
  std::ranges::copy_if(wanted, std::back_inserter(cells), [&](const PlannedCell& cell) {
    return (affinity_group(cell.spec) == group) == inside;
  });
  return cells;
}

SessionStore shared_store(const fs::path& folder, const Run& head) {
  share_run(RunStore(folder), head);
  return {folder, head};
}

}  // namespace

std::size_t group_count(const std::vector<PlannedCell>& wanted) {
  std::set<std::string> groups;
  for (const PlannedCell& cell : wanted) {
    if (cell.spec.kind != CellKind::kLimits) groups.insert(affinity_group(cell.spec));
  }
  return groups.size();
}

std::size_t missing_launches(const std::vector<PlannedCell>& wanted, const Run& run) {
  const Standing standing = queue_of(wanted, run).standing(1);
  return standing.total - standing.done;
}

Run in_planned_order(Run run, const std::vector<PlannedCell>& wanted) {
  for (const PlannedCell& cell : wanted) run.find_or_add(cell.spec);
  const LaunchQueue queue = queue_of(wanted, run);
  std::ranges::stable_sort(run.cells, {},
                           [&](const Cell& cell) { return queue.position(cell.id); });
  return run;
}

SharedRun::SharedRun(const fs::path& folder, const Run& head, SharedSetup setup, PlanCells plan,
                     Progress& progress)
    : store_(shared_store(folder, head)),
      setup_(std::move(setup)),
      plan_(std::move(plan)),
      progress_(progress),
      claims_(store_.claims_folder(), words(setup_.shard), setup_.stale_after) {
  setup_.pool.session = store_.session();
}

RunEnd SharedRun::measure() try {
  const HeldInterrupts held;  // heeded between groups, too
  return measure_all();
} catch (const Interrupted&) {
  claims_.release();
  return RunEnd::kInterrupted;
}

RunEnd SharedRun::measure_all() {
  while (store_.is_shared()) {
    HeldInterrupts::check();
    const std::set<std::string> others = claims_.held_by_others();
    const std::vector<std::string> open = open_groups(load());
    if (take_one(open)) {
      if (measure_group(taken_) == RunEnd::kInterrupted) return RunEnd::kInterrupted;
      continue;
    }
    if (open.empty() && others.empty() && merge()) return RunEnd::kComplete;
    // What others keep while they hold a group changes nothing here.
    do {
      Subprocesses().wait(std::min(kLookEvery, claims_.beat_every()));
      HeldInterrupts::check();
    } while (!others.empty() && claims_.held_by_others() == others && store_.is_shared());
  }
  return RunEnd::kComplete;
}

// Files that appear while a folder is read may be seen without those before them, and another task
// may merge them all.
Run SharedRun::load() const {
  for (int tries = 1;; ++tries) {
    try {
      return RunStore(store_.folder()).load();
    } catch (const InputError&) {
      if (tries == kTries) throw;
      std::this_thread::sleep_for(milliseconds(100) * tries);
    }
  }
}

/// Limits are measured once on each device that measures anything: a task that comes when all is
/// measured has nothing to compare with them.
std::vector<PlannedCell> SharedRun::wanted(const Run& so_far) const {
  std::vector<PlannedCell> cells = plan_(so_far);
  const auto here = [&](const Launch& launch) {
    if (launch.session == static_cast<std::int64_t>(store_.session())) return true;
    return launch.device && so_far.devices.at(static_cast<std::size_t>(*launch.device)).uuid_hash ==
                                setup_.uuid_hash;
  };
  const auto any_here = [&](const Cell& cell) { return std::ranges::any_of(cell.launches, here); };
  const bool used = std::ranges::any_of(so_far.cells, any_here);
  if (!used && missing_launches(cells, so_far) == 0) return cells;
  for (PlannedCell& cell : cells) {
    const Cell* known = so_far.find(cell_id(cell.spec));
    if (cell.spec.kind != CellKind::kLimits || known == nullptr) continue;
    cell.launches = static_cast<std::int64_t>(known->launches.size()) + (any_here(*known) ? 0 : 1);
  }
  return cells;
}

/// Those in which something is left to do, the longest first; before all the device's limits.
std::vector<std::string> SharedRun::open_groups(const Run& run) const {
  std::map<std::string, double> seconds;
  std::vector<std::string> groups;
  for (const PlannedCell& cell : wanted(run)) {
    const Cell* known = run.find(cell_id(cell.spec));
    const bool repeat = known != nullptr && is_to_repeat(run, *known);
    const std::size_t missing = missing_launches({cell}, run) + (repeat ? 1 : 0);
    if (missing == 0) continue;
    const std::string group = affinity_group(cell.spec);
    if (!seconds.contains(group)) groups.push_back(group);
    const bool limits = cell.spec.kind == CellKind::kLimits;
    seconds[group] += limits ? 1e9 : static_cast<double>(missing) * setup_.pool.estimate(cell.spec);
  }
  std::ranges::stable_sort(groups, std::greater(),
                           [&](const auto& group) { return seconds[group]; });
  return groups;
}

/// A task that was cut short may have seen its worker's death before its own end.
bool SharedRun::is_to_repeat(const Run& run, const Cell& cell) const {
  if (cell.launches.empty() || !is_failure(cell.launches.back().outcome)) return false;
  const auto session = static_cast<std::size_t>(cell.launches.back().session);
  const auto shard = shard_of(run.sessions.at(session));
  if (session == store_.session() || !shard || shard->number != setup_.shard.number) return false;
  return fs::exists(
      store_.launch_file(cell.id, static_cast<std::int64_t>(cell.launches.size()) - 1));
}

void SharedRun::drop_failures_of(const std::string& group, Run& run) const {
  for (Cell& cell : run.cells) {
    while (affinity_group(cell.spec) == group && is_to_repeat(run, cell)) {
      cell.launches.pop_back();
      remove_tree(store_.launch_file(cell.id, static_cast<std::int64_t>(cell.launches.size())));
    }
  }
}

bool SharedRun::take_one(const std::vector<std::string>& groups) {
  for (const std::string& group : groups) {
    taken_ = group;
    if (claims_.take(group)) return true;
  }
  return false;
}

// Loaded again: whoever had the group before may have kept launches since.
RunEnd SharedRun::measure_group(const std::string& group) {
  try {
    Run run = load();
    drop_failures_of(group, run);
    const std::vector<PlannedCell> others = of_group(wanted(run), group, /*inside=*/false);
    const Standing beside = queue_of(others, run).standing(1);
    TaskProgress progress(progress_, claims_, beside);
    PoolSetup setup = setup_.pool;
    const auto plan = [&](const Run& so_far) { return of_group(wanted(so_far), group); };
    const RunEnd end = Pool(run, store_, plan, std::move(setup), progress).run();
    claims_.release();
    return end;
  } catch (const TakenOver&) {
    say("{} was silent for too long: another task has taken over {}\n", words(setup_.shard), group);
    claims_.release();
    return RunEnd::kComplete;
  } catch (const InputError&) {
    if (store_.is_shared()) throw;
    return RunEnd::kComplete;  // merged and put away while this task slept
  }
}

/// False where a result that came meanwhile, or another task, leaves something to do.
bool SharedRun::merge() {
  if (!claims_.take(kMerge)) return false;
  Run run = load();
  const std::vector<PlannedCell> cells = wanted(run);
  const bool whole = missing_launches(cells, run) == 0;
  if (whole) {
    run = in_planned_order(std::move(run), cells);
    merge_shared(RunStore(store_.folder()), run);
  }
  claims_.release();
  return whole;
}

}  // namespace labreport
