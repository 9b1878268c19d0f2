#include "cli/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/machine.h"
#include "base/text.h"
#include "cli/device_choice.h"
#include "cli/plan_table.h"
#include "cli/run_folder.h"
#include "cli/worker_info.h"
#include "compare/noise_floor.h"
#include "experiments/catalog.h"
#include "orchestrate/pool.h"
#include "results/privacy.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

double parse_timeout(const std::string& text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || !std::isfinite(seconds) || seconds <= 0) {
    throw InputError("--timeout is '" + text + "'", "give seconds, more than 0");
  }
  return seconds;
}

Session new_session(const RunFlags& flags, const DeviceChoice& choice, const WorkerInfo& worker,
                    const std::vector<std::string>& argv) {
  const BuildInfo& build = build_info();
  Session session;
  session.started_at = utc_now();
  session.argv = argv;
  if (!session.argv.empty()) session.argv[0] = "labreport";
  if (build.revision != "unknown") session.revision = build.revision;
  session.dirty = build.dirty;
  session.cpu = cpu_model();
  session.cores = static_cast<std::int64_t>(usable_cores().size());
  session.software.libtorch = worker.torch;
  session.software.driver = choice.driver;
  session.environment = recorded_environment(flags.keep_env);
  if (flags.keep_host) {
    session.host = host_name();
  } else {
    leave_out_names(session, private_names());
  }
  return session;
}

Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session) {
  Surroundings now{input.edition.name,
                   std::string(name(input.preset)),
                   session.revision,
                   session.dirty,
                   session.software.libtorch,
                   choice.driver,
                   {}};
  for (const Gpu& gpu : choice.gpus) now.gpu_hashes.push_back(uuid_hash(gpu.uuid));
  return now;
}

PoolSetup pool_setup(const RunFlags& flags, const DeviceChoice& choice, const WorkerInfo& worker,
                     double limit_seconds) {
  PoolSetup setup{
      {fs::absolute(worker.program), worker_environment(flags.keep_env), limit_seconds, flags.nvtx},
      choice.slots(),
      0,
      [choice](const CellSpec& spec) { return estimate_seconds(choice, spec); },
      [](Run& run) { run.noise_floor = noise_floor(run); }};
  if (!flags.keep_host) setup.private_names = private_names();
  return setup;
}

/// "8 of 40 launches"
std::string kept_words(const Run& run, const std::vector<PlannedCell>& wanted) {
  std::size_t kept = 0;
  std::int64_t all = 0;
  for (const PlannedCell& cell : wanted) {
    const Cell* known = run.find(cell_id(cell.spec));
    if (known != nullptr) kept += known->launches.size();
    all += cell.launches;
  }
  return fmt::format("{} of {} launches", kept, all);
}

void say_how_to_go_on(const std::string& kept, const fs::path& folder,
                      std::vector<std::string> argv) {
  if (std::find(argv.begin(), argv.end(), "--resume") == argv.end()) argv.push_back("--resume");
  fmt::print(stderr, "interrupted: {} are kept in {}\n", kept, folder.string());
  fmt::print(stderr, "go on with `make report RESUME=1` and the same settings, or `{}`\n",
             join(argv, " "));
}

bool has_failures(const Run& run) {
  return std::any_of(run.cells.begin(), run.cells.end(), [](const Cell& cell) {
    return std::any_of(cell.launches.begin(), cell.launches.end(),
                       [](const Launch& launch) { return is_failure(launch.outcome); });
  });
}

}  // namespace

void add_run_flags(CLI::App& verb, RunFlags& flags, const std::string& out_words) {
  add_measure_flags(verb, flags);
  verb.add_option("--timeout", flags.timeout, "seconds after which a launch is ended (600)");
  verb.add_option("--out", flags.out, out_words);
  verb.add_flag("--resume", flags.resume,
                "go on with the newest interrupted run; failures are redone");
  verb.add_flag("--dry-run", flags.dry_run, "show the cells with estimated time and memory");
  verb.add_flag("--keep-env", flags.keep_env,
                "pass variables that change results on to the workers");
  verb.add_flag("--nvtx", flags.nvtx,
                "name ranges for a profiler outside, such as nsys; ours stays off");
  verb.add_flag("--keep-host", flags.keep_host,
                "record the machine's name, and paths with the user's");
}

Measured measure(const RunFlags& flags, const fs::path& root,
                 const std::vector<std::string>& argv) {
  const DeviceChoice choice = choose_device(flags, flags.dry_run);
  if (!choice.notice.empty()) fmt::print(stderr, "{}\n", choice.notice);
  const PlanInput input = plan_input(flags, choice);
  const std::vector<PlannedCell> wanted = checked_plan(input, Run());
  const std::string head = headline(input, choice, totals(wanted, choice));
  const double limit_seconds = parse_timeout(flags.timeout);
  const WorkerInfo worker = flags.dry_run ? WorkerInfo() : find_worker();
  fmt::print(stderr, "{}\n", head);
  if (flags.dry_run) {
    fmt::print("{}", plan_table(wanted, choice));
    return {};
  }
  const Session session = new_session(flags, choice, worker, argv);
  const auto folder = flags.resume
                          ? RunFolder::resume(root, surroundings(input, choice, session), session)
                          : RunFolder::create(root, input, choice, session);
  RunEnd end = RunEnd::kComplete;
  {
    TerminalProgress progress(stderr);
    const auto plan = [&](const Run& so_far) { return plan_cells(input, so_far); };
    end = Pool(folder->run(), folder->store(), plan,
               pool_setup(flags, choice, worker, limit_seconds), progress)
              .run();
  }
  const fs::path path = folder->store().folder();
  if (end == RunEnd::kInterrupted) {
    say_how_to_go_on(kept_words(folder->run(), wanted), path, argv);
    return {ExitStatus::kInterrupted, path};
  }
  return {has_failures(folder->run()) ? ExitStatus::kIncomplete : ExitStatus::kDone, path};
}

}  // namespace labreport
