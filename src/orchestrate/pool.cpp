#include "orchestrate/pool.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/format.h"
#include "base/machine.h"
#include "plan/arithmetic.h"
#include "results/launch_file.h"
#include "results/metric_names.h"
#include "results/redaction.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsPerNanosecond = 1e-9;
/// After a rank has failed, the others get this time to report what they know.
constexpr std::chrono::seconds kRankGrace{2};

[[noreturn]] void refuse_device(const Outcome& outcome) {
  const auto* failure = std::get_if<Failed>(&outcome);
  throw InputError(failure == nullptr ? "the device cannot be started" : failure->message,
                   "`labreport doctor` shows what is here and what is missing");
}

}  // namespace

Pool::Pool(Run& run, const RunStore& store, PlanCells plan, PoolSetup setup,
           ProgressDisplay& display)
    : run_(run),
      store_(store),
      plan_(std::move(plan)),
      setup_(std::move(setup)),
      display_(display),
      queue_(setup_.estimate_seconds, setup_.seed),
      slots_(setup_.slots) {
  slots_.insert(slots_.end(), setup_.rank_only_slots.begin(), setup_.rank_only_slots.end());
}

PoolStatus Pool::run() {
  while (!processes_.interrupted() && plan_more()) {
    fill_slots();
    while (!running_.empty()) {
      const bool was_interrupted = processes_.interrupted();
      if (auto ended = processes_.wait(display_.tick_interval())) {
        on_process_end(ended->first, ended->second);
        fill_slots();
      } else if (!was_interrupted && processes_.interrupted()) {
        processes_.stop_all();
      } else {
        display_.tick(progress());
      }
    }
  }
  if (!processes_.interrupted()) drop_superfluous_cells();
  sort_cells_as_planned();
  if (processes_.interrupted()) {
    store_.save(run_);  // The folder cells/ stays and marks a run that can be resumed.
    return PoolStatus::kInterrupted;
  }
  store_.finish(run_);
  return PoolStatus::kComplete;
}

/// Returns true if launches remain to do. Cells are stored before they are measured, so that an
/// interrupted run shows the cells that it lacks.
bool Pool::plan_more() {
  const std::vector<PlannedCell> planned = plan_(run_);
  const std::size_t former_count = run_.cells.size();
  for (const PlannedCell& cell : planned) run_.find_or_add(cell.spec);
  for (std::size_t i = former_count; i < run_.cells.size(); ++i)
    added_cell_ids_.insert(run_.cells[i].id);
  const bool has_pending = queue_.plan(planned, run_);
  if (run_.cells.size() > former_count) store_.save(run_);
  return has_pending;
}

void Pool::fill_slots() {
  const auto has_free_slot = [this] {
    std::size_t taken = 0;
    for (const RunningLaunch& running : running_) taken += running.slots.size();
    return taken < slots_.size();
  };
  while (!processes_.interrupted() && has_free_slot()) {
    const auto next = queue_.next([this](const CellSpec& spec) { return has_room(spec); });
    if (!next) return;
    if (!skip_if_impossible(*next)) start(*next);
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

/// True also for a cell that will never fit, so that `fill_slots` takes and skips it at once.
bool Pool::has_room(const CellSpec& spec) const {
  if (too_few_slots(spec, slots_, setup_.gpus_are_named)) return true;
  return free_slots(spec).size() >= slots_needed(spec, slots_.size());
}

bool Pool::skip_if_impossible(const LaunchQueue::Item& item) {
  const std::string& problem = setup_.worker.model_problem;
  const bool lacks_worker = is_shipped(item.spec) && !problem.empty();
  auto reason = lacks_worker ? std::optional(problem)
                             : too_few_slots(item.spec, slots_, setup_.gpus_are_named);
  if (!reason) {
    const std::vector<std::size_t> free = free_slots(item.spec);
    reason = why_it_does_not_fit(item.spec, slots_[free.front()].memory_bytes);
  }
  if (!reason) return false;
  Launch launch;
  launch.outcome = Skipped{*reason};
  store_launch(item.spec, std::move(launch), std::nullopt);
  return true;
}

void Pool::start(const LaunchQueue::Item& item) {
  const fs::path artifacts = store_.artifact_prefix(cell_id(item.spec), item.launch);
  LaunchRequest request{.spec = item.spec,
                        .launch = item.launch,
                        .seed = setup_.seed,
                        .artifacts = fs::absolute(artifacts).string(),
                        .gpu_trace = item.gpu_trace};
  const double limit = launch_limit_seconds(setup_.worker, setup_.estimate_seconds(item.spec));
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
  running.rank_results.resize(running.tickets.size());
  display_.launch_started(item.spec, progress());
}

double Pool::collective_limit_seconds(const RunningLaunch& running) const {
  return std::min(setup_.collective_limit_seconds, running.limit_seconds / 2);
}

void Pool::start_ranks(RunningLaunch& running) {
  LaunchRequest request = running.request;
  const fs::path rendezvous_file = store_.rendezvous_file(cell_id(request.spec), request.launch);
  remove_tree(rendezvous_file);
  std::vector<Slot> taken;
  for (const std::size_t slot : running.slots) taken.push_back(slots_[slot]);
  for (const Slot& slot : rank_slots(request.spec, taken)) {
    request.rendezvous =
        Rendezvous{static_cast<std::int64_t>(running.tickets.size()),
                   fs::absolute(rendezvous_file).string(), collective_limit_seconds(running)};
    running.tickets.push_back(processes_.start(
        prepare_launch(request, setup_.worker, slot, store_, running.limit_seconds)));
  }
}

/// The first rank that fails ends the others, because they would wait for it in vain.
void Pool::on_process_end(Subprocesses::Ticket ticket, const CompletedProcess& process) {
  const auto running = std::ranges::find_if(running_, [&](const RunningLaunch& candidate) {
    return std::ranges::find(candidate.tickets, ticket) != candidate.tickets.end();
  });
  const auto rank = static_cast<std::size_t>(std::ranges::find(running->tickets, ticket) -
                                             running->tickets.begin());
  LaunchRequest request = running->request;
  // RunStore::result_file() needs only the rank of the rendezvous.
  if (request.spec.ranks) request.rendezvous = Rendezvous{static_cast<std::int64_t>(rank), "", 0};
  const bool host_ran_out_of_memory = out_of_memory_kills() > running->oom_kills_before;
  LaunchResult result = judge_launch(request, store_.result_file(request), process,
                                     running->limit_seconds, host_ran_out_of_memory);
  running->rank_results[rank] = rank_result(std::move(result), process, running->is_stopping);
  if (!is_ok(running->rank_results[rank]->result.launch.outcome) &&
      !std::exchange(running->is_stopping, true)) {
    for (const Subprocesses::Ticket other : running->tickets)
      processes_.stop_after(other, kRankGrace);
  }
  const auto has_ended = [](const std::optional<RankResult>& entry) { return entry.has_value(); };
  if (!std::ranges::all_of(running->rank_results, has_ended)) return;
  const RunningLaunch ended = std::move(*running);
  running_.erase(running);
  if (!ended.request.spec.ranks) return finish_launch(ended, ended.rank_results.front()->result);
  std::vector<RankResult> ranks;
  for (const auto& result_of_rank : ended.rank_results) ranks.push_back(*result_of_rank);
  finish_launch(ended, joint_result(std::move(ranks), collective_limit_seconds(ended)));
}

void Pool::finish_launch(const RunningLaunch& running, LaunchResult result) {
  const CellSpec& spec = running.request.spec;
  if (result.is_device_unusable) refuse_device(result.launch.outcome);
  if (processes_.interrupted() && is_failure(result.launch.outcome)) return;  // stop_all() ended it
  update_software(result.software);
  note_other_processes(result.launch, slots_[running.slots.front()]);
  if (setup_.private_names) redact(result.launch, *setup_.private_names);
  store_launch(spec, std::move(result.launch), result.device);
}

void Pool::update_software(const std::optional<Software>& software) {
  Session& session = run_.sessions.back();
  if (!software) return;
  Software merged = *software;
  // Only workers for models in Python report its version.
  if (merged.python.empty()) merged.python = session.software.python;
  if (session.software == merged) return;
  session.software = merged;
  store_.save(run_);
}

/// Marks a launch that ran out of memory beside other processes, so that `LaunchQueue::plan` plans
/// the cell once more.
void Pool::note_other_processes(Launch& launch, const Slot& slot) const {
  if (!std::holds_alternative<OutOfMemory>(launch.outcome) || !setup_.count_other_processes) return;
  const std::int64_t others = setup_.count_other_processes(slot);
  if (others == 0 || launch.find_condition(metric::kGpu, metric::kOtherProcesses)) return;
  launch.conditions.push_back(integer_metric(metric::kGpu, metric::kOtherProcesses, "1", others));
  launch.warnings.push_back("memory ran out while " +
                            format_plural(others, "other process was", "other processes were") +
                            " on the device");
}

void Pool::store_launch(const CellSpec& spec, Launch launch, const std::optional<Device>& device) {
  launch.session = static_cast<std::int64_t>(run_.sessions.size() - 1);
  if (device) launch.device = find_or_add_device(run_, *device);
  Cell& cell = run_.find_or_add(spec);
  cell.launches.push_back(std::move(launch));
  const Launch& stored = cell.launches.back();
  store_.save_launch(run_, cell, static_cast<std::int64_t>(cell.launches.size()) - 1);
  queue_.mark_finished(spec, static_cast<double>(stored.wall_ns) * kSecondsPerNanosecond);
  display_.launch_finished(spec, stored, progress());
}

/// Removes unmeasured cells that this object added and that the last plan lacks. Cells that an
/// earlier command recorded stay.
void Pool::drop_superfluous_cells() {
  std::erase_if(run_.cells, [&](const Cell& cell) {
    return cell.launches.empty() && added_cell_ids_.contains(cell.id) &&
           !queue_.is_planned(cell.id);
  });
}

void Pool::sort_cells_as_planned() {
  std::stable_sort(run_.cells.begin(), run_.cells.end(), [&](const Cell& a, const Cell& b) {
    return queue_.position(a.id) < queue_.position(b.id);
  });
}

}  // namespace labreport
