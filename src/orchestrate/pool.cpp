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
      queue_(setup_.estimate, setup_.seed) {}

RunEnd Pool::run() {
  while (!processes_.interrupted() && plan()) {
    fill_slots();
    while (!flights_.empty()) {
      const bool interrupted = processes_.interrupted();
      if (auto ended = processes_.wait(progress_.tick_every())) {
        const auto flight = flights_.extract(ended->first);
        land(flight.mapped(), ended->second);
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
  if (setup_.conclude) setup_.conclude(run_);
  if (processes_.interrupted()) {
    store_.save(run_);  // cells/ stays: the sign of a run that can be gone on with
    return RunEnd::kInterrupted;
  }
  store_.finish(run_);
  return RunEnd::kComplete;
}

// Cells stand in run.json before they are measured: a run cut short shows what it lacks.
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
  for (std::size_t slot = 0; slot < setup_.slots.size(); ++slot) {
    const bool busy = std::any_of(flights_.begin(), flights_.end(),
                                  [&](const auto& item) { return item.second.slot == slot; });
    while (!busy && !processes_.interrupted()) {
      const auto next = queue_.next();
      if (!next) return;
      if (!skip(*next, setup_.slots[slot])) {
        start(request_for(*next), slot);
        break;
      }
    }
  }
}

bool Pool::skip(const LaunchQueue::Item& item, const Slot& slot) {
  const std::string& problem = setup_.worker.model_problem;
  const bool unmade = is_shipped(item.spec) && !problem.empty();
  const auto reason = unmade ? std::optional(problem) : cannot_fit(item.spec, slot.memory_bytes);
  if (!reason) return false;
  Launch launch;
  launch.outcome = Skipped{*reason};
  keep(item.spec, std::move(launch), std::nullopt);
  return true;
}

LaunchRequest Pool::request_for(const LaunchQueue::Item& item) const {
  const fs::path artifacts = store_.artifacts(cell_id(item.spec), item.launch);
  return {.spec = item.spec,
          .launch = item.launch,
          .seed = setup_.seed,
          .artifacts = fs::absolute(artifacts).string(),
          .gpu_trace = item.gpu_trace};
}

void Pool::start(LaunchRequest request, std::size_t slot) {
  const double limit = limit_seconds(setup_.worker, setup_.estimate(request.spec));
  const Command command = prepare_launch(request, setup_.worker, setup_.slots[slot], store_, limit);
  const auto kills = out_of_memory_kills();
  const auto ticket = processes_.start(command);
  progress_.started(request.spec, standing());
  flights_.emplace(ticket, Flight{std::move(request), slot, limit, kills});
}

void Pool::land(const Flight& flight, const Ended& ended) {
  const CellSpec& spec = flight.request.spec;
  const bool killed = out_of_memory_kills() > flight.kills_before;
  Answer answer = judge(flight.request, store_.result_file(cell_id(spec), flight.request.launch),
                        ended, flight.limit_seconds, killed);
  if (answer.device_unusable) refuse_device(answer.body.outcome);
  if (processes_.interrupted() && is_failure(answer.body.outcome)) return;  // ended by us
  learn(answer.software);
  note_other_processes(answer.body, setup_.slots[flight.slot]);
  if (setup_.private_names) redact(answer.body, *setup_.private_names);
  keep(spec, std::move(answer.body), answer.device);
}

// A result all the same, but the cell is measured once more: see `LaunchQueue::plan`.
void Pool::note_other_processes(Launch& launch, const Slot& slot) const {
  if (!std::holds_alternative<OutOfMemory>(launch.outcome) || !setup_.other_processes) return;
  const std::int64_t others = setup_.other_processes(slot);
  if (others == 0 || launch.find_condition(metric::kGpu, metric::kOtherProcesses)) return;
  launch.conditions.push_back(integer_metric(metric::kGpu, metric::kOtherProcesses, "1", others));
  launch.warnings.push_back("memory ran out while " +
                            format_plural(others, "other process was", "other processes were") +
                            " on the device");
}

void Pool::learn(const std::optional<Software>& software) {
  Session& session = run_.sessions.at(this->session());
  if (!software) return;
  Software known = *software;
  if (known.python.empty()) known.python = session.software.python;  // the other worker's
  if (session.software == known) return;
  session.software = known;
  store_.save(run_);
}

void Pool::keep(const CellSpec& spec, Launch launch, const std::optional<Device>& device) {
  launch.session = static_cast<std::int64_t>(session());
  if (device) launch.device = find_or_add_device(run_, *device);
  Cell& cell = run_.find_or_add(spec);
  cell.launches.push_back(std::move(launch));
  const Launch& kept = cell.launches.back();
  store_.save_launch(run_, cell, static_cast<std::int64_t>(cell.launches.size()) - 1);
  queue_.finished(spec, static_cast<double>(kept.wall_ns) * kSecondsPerNanosecond);
  progress_.finished(spec, kept, standing());
}

// What later answers made needless before its turn came. Cells that an earlier command recorded
// stay: the store keeps a run that lacks one as it keeps an interrupted one.
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
