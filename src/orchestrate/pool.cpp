#include "orchestrate/pool.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/machine.h"
#include "plan/arithmetic.h"
#include "results/launch_file.h"
#include "results/metric_names.h"
#include "results/redaction.h"
#include "results/shipped.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsPerNanosecond = 1e-9;
/// Time for the other ranks to report what they know of a failure.
constexpr std::chrono::seconds kRankGrace{2};

[[noreturn]] void refuse_device(const Outcome& outcome) {
  const auto* failure = std::get_if<Failed>(&outcome);
  throw InputError(failure == nullptr ? "the device cannot be started" : failure->message,
                   "`labreport doctor` shows what is here and what is missing");
}

}  // namespace

Pool::Pool(Run& run, const RunStore& store, PlanCells plan, PoolSetup setup, Progress& progress)
    : run_(run),
      store_(store),
      plan_(std::move(plan)),
      setup_(std::move(setup)),
      progress_(progress),
      queue_(setup_.estimate, setup_.seed),
      slots_(setup_.slots) {
  slots_.insert(slots_.end(), setup_.more_slots.begin(), setup_.more_slots.end());
}

RunEnd Pool::run() {
  while (!processes_.interrupted() && plan()) {
    fill_slots();
    while (!running_.empty()) {
      const bool interrupted = processes_.interrupted();
      if (auto ended = processes_.wait(progress_.tick_every())) {
        finished(ended->first, ended->second);
        fill_slots();
      } else if (!interrupted && processes_.interrupted()) {
        processes_.stop();
      } else {
        progress_.tick(standing());
      }
    }
  }
  if (!processes_.interrupted()) drop_superfluous();
  put_in_planned_order();
  if (processes_.interrupted()) {
    store_.save(run_);  // cells/ stays, as the sign of a run that can be continued
    return RunEnd::kInterrupted;
  }
  store_.finish(run_);
  return RunEnd::kComplete;
}

// Writes cells into run.json before they are measured, so that an interrupted run shows what it
// lacks.
bool Pool::plan() {
  const std::vector<PlannedCell> wanted = plan_(run_);
  const std::size_t known = run_.cells.size();
  for (const PlannedCell& cell : wanted) run_.find_or_add(cell.spec);
  for (std::size_t i = known; i < run_.cells.size(); ++i) added_.insert(run_.cells[i].id);
  const bool more = queue_.plan(wanted, run_);
  if (run_.cells.size() > known) store_.save(run_);
  return more;
}

void Pool::fill_slots() {
  const auto any_free = [this] {
    std::size_t taken = 0;
    for (const RunningLaunch& running : running_) taken += running.slots.size();
    return taken < slots_.size();
  };
  while (!processes_.interrupted() && any_free()) {
    const auto next = queue_.next([this](const CellSpec& spec) { return has_room(spec); });
    if (!next) return;
    if (!skip(*next)) start(*next);
  }
}

std::vector<std::size_t> Pool::free_slots(const CellSpec& spec) const {
  std::vector<std::size_t> free;
  for (std::size_t slot = 0; slot < (spec.ranks ? slots_ : setup_.slots).size(); ++slot) {
    const bool busy = std::ranges::any_of(running_, [&](const RunningLaunch& running) {
      return std::ranges::find(running.slots, slot) != running.slots.end();
    });
    if (!busy) free.push_back(slot);
  }
  return free;
}

/// True also for a cell that will never have room, so that it is skipped at once.
bool Pool::has_room(const CellSpec& spec) const {
  if (too_few_slots(spec, slots_, setup_.named_gpus)) return true;
  return free_slots(spec).size() >= slots_needed(spec, slots_.size());
}

bool Pool::skip(const LaunchQueue::Item& item) {
  const std::string& problem = setup_.worker.model_problem;
  const bool unmade = is_shipped(item.spec) && !problem.empty();
  auto reason =
      unmade ? std::optional(problem) : too_few_slots(item.spec, slots_, setup_.named_gpus);
  if (!reason) {
    const std::vector<std::size_t> free = free_slots(item.spec);
    reason = why_it_does_not_fit(item.spec, slots_[free.front()].memory_bytes);
  }
  if (!reason) return false;
  Launch launch;
  launch.outcome = Skipped{*reason};
  keep(item.spec, std::move(launch), std::nullopt);
  return true;
}

void Pool::start(const LaunchQueue::Item& item) {
  const fs::path artifacts = store_.artifacts(cell_id(item.spec), item.launch);
  LaunchRequest request{.spec = item.spec,
                        .launch = item.launch,
                        .seed = setup_.seed,
                        .artifacts = fs::absolute(artifacts).string(),
                        .gpu_trace = item.gpu_trace};
  const double limit = limit_seconds(setup_.worker, setup_.estimate(item.spec));
  std::vector<std::size_t> slots = free_slots(item.spec);
  slots.resize(slots_needed(item.spec, slots_.size()));
  RunningLaunch& running = running_.emplace_back(
      RunningLaunch{std::move(request), std::move(slots), limit, out_of_memory_kills()});
  if (running.request.spec.ranks) {
    start_ranks(running);
  } else {
    const Slot& slot = slots_[running.slots.front()];
    running.tickets = {
        processes_.start(prepare_launch(running.request, setup_.worker, slot, store_, limit))};
  }
  running.ends.resize(running.tickets.size());
  progress_.started(item.spec, standing());
}

void Pool::start_ranks(RunningLaunch& running) {
  LaunchRequest request = running.request;
  const fs::path meeting = store_.rendezvous_file(cell_id(request.spec), request.launch);
  remove_tree(meeting);
  std::vector<Slot> taken;
  for (const std::size_t slot : running.slots) taken.push_back(slots_[slot]);
  const double patience = std::min(setup_.collective_seconds, running.limit_seconds / 2);
  for (const Slot& slot : rank_slots(request.spec, taken)) {
    request.rendezvous = Rendezvous{static_cast<std::int64_t>(running.tickets.size()),
                                    fs::absolute(meeting).string(), patience};
    running.tickets.push_back(processes_.start(
        prepare_launch(request, setup_.worker, slot, store_, running.limit_seconds)));
  }
}

/// The first failed rank ends the others, because they would wait for it in vain.
void Pool::finished(Subprocesses::Ticket ticket, const Ended& ended) {
  const auto running = std::ranges::find_if(running_, [&](const RunningLaunch& candidate) {
    return std::ranges::find(candidate.tickets, ticket) != candidate.tickets.end();
  });
  const auto rank = static_cast<std::size_t>(std::ranges::find(running->tickets, ticket) -
                                             running->tickets.begin());
  LaunchRequest request = running->request;
  if (request.spec.ranks) request.rendezvous = Rendezvous{static_cast<std::int64_t>(rank), "", 0};
  const bool killed = out_of_memory_kills() > running->kills_before;
  Answer answer = judge(request, result_of(request, store_), ended, running->limit_seconds, killed);
  running->ends[rank] = rank_end(std::move(answer), ended, running->stopping);
  if (!is_ok(running->ends[rank]->answer.body.outcome) && !std::exchange(running->stopping, true)) {
    for (const Subprocesses::Ticket other : running->tickets) processes_.stop(other, kRankGrace);
  }
  const auto has_ended = [](const std::optional<RankEnd>& end) { return end.has_value(); };
  if (!std::ranges::all_of(running->ends, has_ended)) return;
  const RunningLaunch whole = std::move(*running);
  running_.erase(running);
  if (!whole.request.spec.ranks) return finish(whole, whole.ends.front()->answer);
  std::vector<RankEnd> ranks;
  for (const auto& end : whole.ends) ranks.push_back(*end);
  finish(whole, joined(std::move(ranks), setup_.collective_seconds));
}

void Pool::finish(const RunningLaunch& running, Answer answer) {
  const CellSpec& spec = running.request.spec;
  if (answer.device_unusable) refuse_device(answer.body.outcome);
  if (processes_.interrupted() && is_failure(answer.body.outcome)) return;  // ended by this program
  update_software(answer.software);
  note_other_processes(answer.body, slots_[running.slots.front()]);
  if (setup_.private_names) redact(answer.body, *setup_.private_names);
  keep(spec, std::move(answer.body), answer.device);
}

void Pool::update_software(const std::optional<Software>& software) {
  Session& session = run_.sessions.back();
  if (!software) return;
  Software known = *software;
  if (known.python.empty()) known.python = session.software.python;  // only model workers report it
  if (session.software == known) return;
  session.software = known;
  store_.save(run_);
}

// The result is valid, but the cell is measured once more: see `LaunchQueue::plan`.
void Pool::note_other_processes(Launch& launch, const Slot& slot) const {
  if (!std::holds_alternative<OutOfMemory>(launch.outcome) || !setup_.other_processes) return;
  const std::int64_t others = setup_.other_processes(slot);
  if (others == 0 || launch.find_condition(metric::kGpu, metric::kOtherProcesses)) return;
  launch.conditions.push_back(integer_metric(metric::kGpu, metric::kOtherProcesses, "1", others));
  launch.warnings.push_back("memory ran out while " +
                            format_plural(others, "other process was", "other processes were") +
                            " on the device");
}

void Pool::keep(const CellSpec& spec, Launch launch, const std::optional<Device>& device) {
  launch.session = static_cast<std::int64_t>(run_.sessions.size() - 1);
  if (device) launch.device = find_or_add_device(run_, *device);
  Cell& cell = run_.find_or_add(spec);
  cell.launches.push_back(std::move(launch));
  const Launch& kept = cell.launches.back();
  store_.save_launch(run_, cell, static_cast<std::int64_t>(cell.launches.size()) - 1);
  queue_.finished(spec, static_cast<double>(kept.wall_ns) * kSecondsPerNanosecond);
  progress_.finished(spec, kept, standing());
}

// Removes cells that later plans no longer want and that were not measured yet. Cells that an
// earlier command recorded stay.
void Pool::drop_superfluous() {
  std::erase_if(run_.cells, [&](const Cell& cell) {
    return cell.launches.empty() && added_.contains(cell.id) && !queue_.wants(cell.id);
  });
}

void Pool::put_in_planned_order() {
  std::stable_sort(run_.cells.begin(), run_.cells.end(), [&](const Cell& a, const Cell& b) {
    return queue_.position(a.id) < queue_.position(b.id);
  });
}

}  // namespace labreport
