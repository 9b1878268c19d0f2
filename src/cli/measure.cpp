#include "cli/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/format.h"
#include "base/gpu.h"
#include "base/messages.h"
#include "base/redaction.h"
#include "base/text.h"
#include "cli/hints.h"
#include "cli/plan_table.h"
#include "cli/recorded_plan.h"
#include "cli/shard.h"
#include "cli/trial.h"
#include "experiments/catalog.h"
#include "experiments/overview/overview.h"
#include "orchestrate/device_choice.h"
#include "orchestrate/new_session.h"
#include "orchestrate/pool.h"
#include "orchestrate/run_folder.h"
#include "orchestrate/worker_info.h"
#include "results/run_labels.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

// A launch is ended after these seconds or this multiple of its estimated time, whichever is
// longer, because estimates are rough and libraries may load from a slow disk.
constexpr double kMinLimitSeconds = 600;
constexpr double kLimitPerEstimate = 20;

WorkerSetup worker_setup(const RunFlags& flags) {
  WorkerSetup worker;
  worker.environment = worker_environment(flags.keep_env);
  worker.nvtx = flags.nvtx;
  worker.min_limit_seconds = kMinLimitSeconds;
  worker.limit_per_estimate = kLimitPerEstimate;
  if (!flags.timeout) return worker;
  // --timeout is one limit for all launches.
  worker.limit_per_estimate = 0;
  worker.min_limit_seconds = parse_number<double>(*flags.timeout).value_or(0);
  if (std::isfinite(worker.min_limit_seconds) && worker.min_limit_seconds > 0) return worker;
  throw InputError("--timeout is '" + *flags.timeout + "'", "give seconds, more than 0");
}

std::int64_t count_other_processes(const Slot& slot) {
  const auto monitor = slot.gpu_uuids.empty() ? nullptr : GpuMonitor::open(slot.gpu_uuids);
  return monitor == nullptr ? 0 : monitor->other_process_count(/*has_context=*/false).value_or(0);
}

PoolSetup pool_setup(const RunFlags& flags, const DeviceChoice& choice, WorkerSetup worker) {
  PoolSetup setup{std::move(worker), choice.slots(), /*seed=*/0,
                  [choice](const CellSpec& spec) { return launch_seconds(choice, spec); },
                  count_other_processes};
  if (!flags.keep_host) setup.private_names = private_names();
  setup.rank_only_slots = choice.rank_only_slots();
  setup.gpus_are_named = !device_request(flags).gpus.value_or(std::vector<int>()).empty();
  return setup;
}

/// Returns "4 of 18 measurements succeeded (14 failed)" and the command that repeats the failures;
/// empty if none failed.
std::string failure_words(const Run& run, const fs::path& folder) {
  const bool has_failure = std::ranges::any_of(run.cells, [](const Cell& cell) {
    return representative(cell) != nullptr && is_failure(representative(cell)->outcome);
  });
  if (!has_failure) return "";
  const std::vector<std::string> resume_command{"labreport", "run", "--resume", "--out",
                                                folder.string()};
  return fmt::format("{}; `{}` repeats what failed", overview::outcome_line(run),
                     command_line(resume_command));
}

/// Finds the model worker if cells need it. If there is none, throws for a user's model; for other
/// cells sets the reason with which they are skipped.
void find_model_worker_for(const std::vector<PlannedCell>& wanted, WorkerSetup& setup) try {
  const bool needs_model_worker = std::ranges::any_of(wanted, is_shipped, &PlannedCell::spec);
  if (setup.model || needs_model_worker)
    setup.model_program = fs::absolute(find_model_worker().program);
} catch (const InputError& error) {
  if (setup.model) throw;
  setup.model_problem = error.what();
}

/// Returns a function that selects the cells of this task's shard, or all cells without --shard.
std::function<std::vector<PlannedCell>(std::vector<PlannedCell>)> shard_filter(
    const Request& request, const PlanInput& input) {
  if (!request.shard) return [](std::vector<PlannedCell> cells) { return cells; };
  const Shard shard = parse_shard(*request.shard);
  return [shards = shards_of(input, shard.count), shard](std::vector<PlannedCell> cells) {
    return shards.part(std::move(cells), shard.number);
  };
}

MeasureResult measure_into(RunFolder& folder, const PlanCells& plan, PoolSetup setup,
                           const std::vector<std::string>& argv) {
  PoolStatus status = PoolStatus::kComplete;
  try {
    TerminalDisplay display(stderr);  // Its destructor clears the live line.
    status = Pool(folder.run(), folder.store(), plan, std::move(setup), display).run();
  } catch (const Error& error) {
    throw_with_kept_launches(error, folder.store(), plan);
  }
  const Run& run = folder.run();
  const fs::path& path = folder.store().folder();
  if (status == PoolStatus::kComplete) return {exit_status_of(run), path, failure_words(run, path)};
  if (!has_launches(run)) {
    say("interrupted: nothing is measured yet\n");
    return {ExitStatus::kInterrupted, {}};
  }
  say_how_to_resume(run, plan(run), path, argv);
  return {ExitStatus::kInterrupted, path};
}

/// Returns the name of the run's GPU; empty for a run of a CPU.
std::string gpu_of(const Run& run) {
  if (run.preset == kPresetDemo) return "";
  return run.devices.empty() ? "a GPU" : run.devices.front().name;
}

/// With --resume, `root` is the run's own folder, and `flags` are those that it was begun with.
MeasureResult measure_from_flags(const RunFlags& flags, const fs::path& root,
                                 const std::vector<std::string>& argv) {
  DeviceRequest request = device_request(flags);
  request.elsewhere = flags.planned_gpu;
  if (flags.resume) request.resumed_gpu = gpu_of(RunStore(root).load());
  const DeviceChoice choice = choose_device(request, flags.dry_run);
  if (!choice.notice.empty()) say("{}\n", choice.notice);
  const PlanInput input = plan_input(flags, choice);
  const auto in_shard = shard_filter(flags, input);
  const std::vector<PlannedCell> whole_plan = checked_plan(input, Run());
  const std::vector<PlannedCell> wanted = in_shard(whole_plan);
  const std::vector<PlannedCell> foreseen = in_shard(foreseen_plan(input, whole_plan, choice));
  PlanTotals sum = totals(foreseen, choice);
  sum.is_foreseen = sum.cells != wanted.size();
  const std::string plan_headline = headline(input, choice, sum);
  WorkerSetup setup = worker_setup(flags);
  const WorkerInfo worker = flags.dry_run ? WorkerInfo() : find_worker();
  say("{}\n", plan_headline);
  if (const std::string words = edition_words(flags); !words.empty()) say("{}\n", words);
  for (const std::string& line : problems_without_code(input)) say("{}\n", line);
  const auto& step = input.selection.model ? input.selection.model->step : std::nullopt;
  if (step && step->returns_no_loss)
    say("its step returns no loss, so a loss that is NaN or stays the same is not seen\n");
  setup.model = input.selection.model;
  setup.more_attentions = input.selection.attentions;
  if (!setup.more_attentions.empty()) {
    setup.model = setup.more_attentions.front();
    setup.more_attentions.erase(setup.more_attentions.begin());
  }
  if (setup.model || !flags.dry_run) find_model_worker_for(wanted, setup);
  // A checkout's attention that fails becomes rows with the error, as its other parts do.
  const bool may_fail = flags.course && setup.model && setup.model->attention;
  if (setup.model && !flags.resume && !may_fail)
    try_once(wanted, setup, choice.slots().front(), root);
  if (flags.dry_run) {
    fmt::print("{}", plan_table(foreseen, choice));
    return {};
  }
  setup.program = fs::absolute(worker.program);
  const Session session = new_session(flags, flags.keep_host, choice, worker, setup, argv);
  const auto folder = flags.resume
                          ? RunFolder::resume(root, surroundings(input, choice, session), session)
                          : RunFolder::create(root, input, choice, session);
  const auto plan = [&](const Run& so_far) { return in_shard(plan_cells(input, so_far)); };
  MeasureResult result =
      measure_into(*folder, plan, pool_setup(flags, choice, std::move(setup)), argv);
  const bool was_interrupted = result.status == ExitStatus::kInterrupted;
  if (!was_interrupted && !flags.edition && !flags.course && edition_words(flags).empty())
    result.edition = edition_hint(input.edition.name, "measures the other");
  return result;
}

/// Begins or resumes this task's shard. A complete one stays, because a job may be submitted twice.
MeasureResult begin_or_resume_shard(RunFlags flags, const fs::path& root,
                                    const std::vector<std::string>& argv) {
  const auto folder = run_of_shard(root, flags);
  flags.resume = folder.has_value();
  if (!folder) return measure_from_flags(flags, root, argv);
  const ResumedRun resumed = run_to_resume(*folder, flags);
  if (fs::exists(RunStore(*folder).cells_folder())) {
    return measure_from_flags(resumed.flags, *folder, argv);
  }
  say("{} is measured already\n", shard_words(parse_shard(*flags.shard)));
  return {exit_status_of(RunStore(*folder).load()), *folder};
}

}  // namespace

void MeasureResult::say_last_words() const {
  std::fflush(stdout);
  for (const std::string& words : {failures, edition}) {
    if (!words.empty()) say("{}\n", in_callers_form(words));
  }
}

ExitStatus exit_status_of(const Run& run) {
  const auto unmeasured =
      std::ranges::count_if(run.cells, [](const Cell& cell) { return cell.launches.empty(); });
  if (unmeasured > 0) say("{} of this run are not measured\n", format_plural(unmeasured, "cell"));
  const bool has_failure = std::ranges::any_of(run.cells, [](const Cell& cell) {
    return std::ranges::any_of(cell.launches, is_failure, &Launch::outcome);
  });
  return unmeasured > 0 || has_failure ? ExitStatus::kIncomplete : ExitStatus::kDone;
}

void add_run_flags(CLI::App& verb, RunFlags& flags, const std::string& out_help) {
  add_measure_flags(verb, flags);
  verb.add_option("--timeout", flags.timeout,
                  "seconds after which a launch is ended (600, or 20 times its estimate)");
  verb.add_option("--out", flags.out, out_help);
  verb.add_flag("--resume", flags.resume,
                "continue the newest interrupted run with its flags; failures are repeated");
  verb.add_flag("--dry-run", flags.dry_run, "only show the cells with estimated time and memory");
  verb.add_option(
      "--gpu", flags.planned_gpu,
      "with --dry-run, plan for this GPU, such as \"NVIDIA H200\", which need not be here");
  verb.add_flag("--keep-env", flags.keep_env, "keep environment variables that change results");
  verb.add_flag("--nvtx", flags.nvtx,
                "name ranges for an outer profiler, such as nsys, and switch labreport's off");
  verb.add_flag("--keep-host", flags.keep_host,
                "record the machine's name, and paths with the user's");
  verb.add_option("--shard", flags.shard,
                  "K/N: measure the K-th of N shards of the plan; `labreport merge` joins them");
}

MeasureResult measure(const RunFlags& flags, const fs::path& root,
                      const std::vector<std::string>& argv) {
  if (!flags.resume) return measure_from_flags(flags, root, argv);
  if (flags.planned_gpu)
    throw InputError("--resume goes on with the GPU of its run", "leave --gpu out");
  if (flags.shard) return begin_or_resume_shard(flags, root, argv);
  const ResumedRun resumed = run_to_resume(root, flags);
  return measure_from_flags(resumed.flags, resumed.folder, argv);
}

}  // namespace labreport
