#include "cli/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/gpu.h"
#include "base/messages.h"
#include "base/redaction.h"
#include "cli/plan_table.h"
#include "cli/recorded_plan.h"
#include "cli/shard.h"
#include "cli/trial.h"
#include "experiments/catalog.h"
#include "orchestrate/device_choice.h"
#include "orchestrate/new_session.h"
#include "orchestrate/pool.h"
#include "orchestrate/run_folder.h"
#include "orchestrate/worker_info.h"
#include "results/shipped.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// Estimates are rough, and a launch begins with loading libraries from a disk that may be slow.
constexpr double kLeastSeconds = 600;
constexpr double kTimesTheEstimate = 20;

double parse_seconds(const std::string& text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || !std::isfinite(seconds) || seconds <= 0) {
    throw InputError("--timeout is '" + text + "'", "give seconds, more than 0");
  }
  return seconds;
}

WorkerSetup worker_setup(const RunFlags& flags) {
  WorkerSetup worker;
  worker.environment = worker_environment(flags.keep_env);
  worker.nvtx = flags.nvtx;
  // --timeout is one limit for all launches; the program's own limit grows with the launch.
  worker.limit_seconds = flags.timeout ? parse_seconds(*flags.timeout) : kLeastSeconds;
  worker.limit_per_estimate = flags.timeout ? 0 : kTimesTheEstimate;
  return worker;
}

std::int64_t other_processes(const Slot& slot) {
  const auto monitor = slot.gpu_uuid.empty() ? nullptr : GpuMonitor::open(slot.gpu_uuid);
  return monitor == nullptr ? 0 : monitor->other_processes(/*running=*/false).value_or(0);
}

PoolSetup pool_setup(const RunFlags& flags, const DeviceChoice& choice, WorkerSetup worker) {
  PoolSetup setup{std::move(worker), choice.slots(), 0,
                  [choice](const CellSpec& spec) { return estimate_seconds(choice, spec); },
                  other_processes};
  if (!flags.keep_host) setup.private_names = private_names();
  setup.more_slots = choice.more_slots();
  setup.named_gpus = !device_wish(flags).gpus.value_or(std::vector<int>()).empty();
  return setup;
}

bool has_failures(const Run& run) {
  return std::any_of(run.cells.begin(), run.cells.end(), [](const Cell& cell) {
    return std::any_of(cell.launches.begin(), cell.launches.end(),
                       [](const Launch& launch) { return is_failure(launch.outcome); });
  });
}

/// "14 of 18 measurements failed"; empty if none did.
std::string failure_words(const Run& run) {
  std::int64_t measured = 0, failed = 0;
  for (const Cell& cell : run.cells) {
    const Launch* launch = representative(cell);
    measured += launch != nullptr ? 1 : 0;
    failed += launch != nullptr && is_failure(launch->outcome) ? 1 : 0;
  }
  if (failed == 0) return "";
  return fmt::format("{} of {} failed", failed, format_plural(measured, "measurement"));
}

/// Counts the run's cells without a launch.
std::int64_t unmeasured(const Run& run) {
  return std::ranges::count_if(run.cells, [](const Cell& cell) { return cell.launches.empty(); });
}

/// Finds the model worker, which is optional: cells that need it are skipped with a reason, but a
/// user's model is refused.
void find_model_worker_for(const std::vector<PlannedCell>& wanted, WorkerSetup& setup) try {
  const bool shipped = std::ranges::any_of(wanted, is_shipped, &PlannedCell::spec);
  if (setup.model || shipped) setup.model_program = fs::absolute(find_model_worker().program);
} catch (const InputError& error) {
  if (setup.model) throw;
  setup.model_problem = error.what();
}

/// Selects the part of a plan that a task with --shard measures; without --shard, all of it.
std::function<std::vector<PlannedCell>(std::vector<PlannedCell>)> own_part(const Request& request,
                                                                           const PlanInput& input) {
  if (!request.shard) return [](std::vector<PlannedCell> cells) { return cells; };
  const Shard shard = parse_shard(*request.shard);
  return [shards = shards_of(input, shard.of), shard](std::vector<PlannedCell> cells) {
    return shards.part(std::move(cells), shard.number);
  };
}

/// With --resume, `root` is the run's own folder, and the flags are those it was begun with.
Measured measure_as_told(const RunFlags& flags, const fs::path& root,
                         const std::vector<std::string>& argv) {
  const DeviceChoice choice = choose_device(device_wish(flags), flags.dry_run);
  if (!choice.notice.empty()) say("{}\n", choice.notice);
  const PlanInput input = plan_input(flags, choice);
  const auto own = own_part(flags, input);
  const std::vector<PlannedCell> all = checked_plan(input, Run());
  const std::vector<PlannedCell> wanted = own(all);
  const std::vector<PlannedCell> foreseen = own(foreseen_plan(input, all, choice));
  PlanTotals sum = totals(foreseen, choice);
  sum.foreseen = sum.cells != wanted.size();
  const std::string head = headline(input, choice, sum);
  WorkerSetup setup = worker_setup(flags);
  const WorkerInfo worker = flags.dry_run ? WorkerInfo() : find_worker();
  say("{}\n", head);
  if (flags.dry_run) {
    fmt::print("{}", plan_table(foreseen, choice));
    return {};
  }
  setup.program = fs::absolute(worker.program);
  setup.model = input.selection.source();
  find_model_worker_for(wanted, setup);
  if (setup.model && !flags.resume) try_once(wanted, setup, choice.slots().front(), root);
  const Session session = new_session(flags, flags.keep_host, choice, worker, setup.model, argv);
  const auto folder = flags.resume
                          ? RunFolder::resume(root, surroundings(input, choice, session), session)
                          : RunFolder::create(root, input, choice, session);
  RunEnd end = RunEnd::kComplete;
  try {
    TerminalProgress progress(stderr);
    const auto plan = [&](const Run& so_far) { return own(plan_cells(input, so_far)); };
    end = Pool(folder->run(), folder->store(), plan, pool_setup(flags, choice, std::move(setup)),
               progress)
              .run();
  } catch (const Error& error) {
    fail_with_kept(error, folder->store(), wanted);
  }
  const fs::path path = folder->store().folder();
  if (end == RunEnd::kInterrupted && !has_launches(folder->run())) {
    say("interrupted: nothing is measured yet\n");
    return {ExitStatus::kInterrupted, {}};
  }
  if (end == RunEnd::kInterrupted) {
    say_how_to_go_on(kept_words(folder->run(), wanted), path, argv);
    return {ExitStatus::kInterrupted, path};
  }
  return {status_of(folder->run()), path, failure_words(folder->run())};
}

}  // namespace

void Measured::tell() const {
  if (failures.empty()) return;
  std::fflush(stdout);
  say("{}\n", failures);
}

ExitStatus status_of(const Run& run) {
  const std::int64_t left = unmeasured(run);
  if (left > 0) say("{} of this run stay unmeasured\n", format_plural(left, "cell"));
  return left > 0 || has_failures(run) ? ExitStatus::kIncomplete : ExitStatus::kDone;
}

void add_run_flags(CLI::App& verb, RunFlags& flags, const std::string& out_words) {
  add_measure_flags(verb, flags);
  verb.add_option("--timeout", flags.timeout,
                  "seconds after which a launch is ended (600, or 20 times its estimate)");
  verb.add_option("--out", flags.out, out_words);
  verb.add_flag("--resume", flags.resume,
                "go on with the newest interrupted run as it was begun; failures are redone");
  verb.add_flag("--dry-run", flags.dry_run, "show the cells with estimated time and memory");
  verb.add_flag("--keep-env", flags.keep_env,
                "pass variables that change results on to the workers");
  verb.add_flag("--nvtx", flags.nvtx,
                "name ranges for a profiler outside, such as nsys; ours stays off");
  verb.add_flag("--keep-host", flags.keep_host,
                "record the machine's name, and paths with the user's");
  verb.add_option("--shard", flags.shard,
                  "K/N: measure the K-th of N parts of the plan, for `labreport merge` to join");
}

namespace {

/// Begins, continues or keeps this task's shard, because a job may be submitted twice.
Measured measure_shard_again(RunFlags flags, const fs::path& root,
                             const std::vector<std::string>& argv) {
  const auto folder = run_of_shard(root, flags);
  flags.resume = folder.has_value();
  if (!folder) return measure_as_told(flags, root, argv);
  const GoneOn gone_on = gone_on_run(*folder, flags);
  if (fs::exists(RunStore(*folder).cells_folder())) {
    return measure_as_told(gone_on.flags, *folder, argv);
  }
  say("{} is measured already\n", words(parse_shard(*flags.shard)));
  return {status_of(RunStore(*folder).load()), *folder};
}

}  // namespace

Measured measure(const RunFlags& flags, const fs::path& root,
                 const std::vector<std::string>& argv) {
  if (!flags.resume) return measure_as_told(flags, root, argv);
  if (flags.shard) return measure_shard_again(flags, root, argv);
  const GoneOn gone_on = gone_on_run(root, flags);
  return measure_as_told(gone_on.flags, gone_on.folder, argv);
}

}  // namespace labreport
