#include "cli/shard.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/messages.h"
#include "cli/flags.h"
#include "cli/recorded_plan.h"
#include "experiments/catalog.h"
#include "orchestrate/run_folder.h"
#include "orchestrate/shared_run.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStaleSeconds = 60;  // above what network file systems cache
constexpr std::int64_t kMostStaleSeconds = 86400;

Run head_of(const Task& task) {
  Run head;
  head.edition = task.input.edition.name;
  head.preset = name(task.input.preset);
  head.sessions = {task.session};
  return head;
}

/// Unlike GPUs may have unlike drivers: theirs are runs of their own.
void refuse_other_plan_in(const fs::path& root, Run plan, const Task& task) {
  const Run own = head_of(task);
  Surroundings now = surroundings(task.input, task.choice, task.session);
  plan.sessions.back().software.driver = now.driver;
  std::string different = difference(plan, now);
  if (different.empty() && plan_words(plan) != plan_words(own)) {
    different =
        fmt::format("its flags are `{}`, but now they are `{}`", plan_words(plan), plan_words(own));
  }
  if (different.empty()) return;
  throw InputError(root.string() + " holds shards of another plan: " + different,
                   "give this plan a folder of its own with --out");
}

/// Where a run that is there was measured by another driver.
void refuse_other_driver(const fs::path& folder, const Task& task) {
  if (!RunStore(folder).exists()) return;
  Surroundings now = surroundings(task.input, task.choice, task.session);
  const std::string different = difference(RunStore(folder).load(), now);
  if (different.empty()) return;
  throw InputError("this task cannot join " + folder.string() + ": " + different,
                   "start it where the driver is the same, or give it a folder of its own");
}

SharedSetup shared_setup(const RunFlags& flags, Task& task) {
  const std::int64_t stale =
      flags.stale_after ? whole_number("--stale-after", *flags.stale_after, 1, kMostStaleSeconds)
                        : kStaleSeconds;
  SharedSetup setup{std::move(task.setup), parse_shard(*flags.shard), std::chrono::seconds(stale)};
  if (!task.choice.gpus.empty()) setup.uuid_hash = uuid_hash(task.choice.gpus.front().uuid);
  return setup;
}

void check_task(const RunFlags& flags, const Task& task) {
  if (task.choice.gpus.size() > 1) {
    throw InputError("--shard measures on one GPU, and --gpus names several",
                     "start one task for each");
  }
  refuse_idle_tasks(parse_shard(*flags.shard).of, plan_cells(task.input, Run()));
}

Measured ended(const SharedRun& shared, RunEnd end, const fs::path& folder, const Task& task) {
  const Run run = shared.load();
  if (end == RunEnd::kComplete) return {status_of(run), folder};
  say("interrupted: {} are kept in {}\n", kept_words(run, plan_cells(task.input, run)),
      folder.string());
  say("start this task again, or leave the rest to the others\n");
  return {ExitStatus::kInterrupted, folder};
}

}  // namespace

void add_shard_flags(CLI::App& verb, RunFlags& flags) {
  verb.add_option("--shard", flags.shard,
                  "K/N: this is task K of N that measure one plan into one folder, --out");
  verb.add_option("--stale-after", flags.stale_after,
                  "seconds of silence after which another task's work is taken over (60)");
}

void refuse_idle_tasks(std::int64_t tasks, const std::vector<PlannedCell>& wanted) {
  const auto groups = static_cast<std::int64_t>(group_count(wanted));
  if (tasks <= groups) return;
  throw InputError(fmt::format("{} are more than the plan's {} of cells that stay on one device",
                               format_plural(tasks, "task"), format_plural(groups, "group")),
                   fmt::format("start at most {}", groups));
}

Measured measure_shard(const RunFlags& flags, const fs::path& root, Task task) {
  check_task(flags, task);
  const Run head = head_of(task);
  const Run plan = shared_plan(root, head);
  refuse_other_plan_in(root, plan, task);
  Run named = plan;
  named.devices = {named_device(task.choice)};
  const fs::path folder = new_run_folder(root, named);
  refuse_other_driver(folder, task);
  SharedSetup setup = shared_setup(flags, task);
  TerminalProgress progress(stderr);
  const auto cells = [&](const Run& so_far) { return plan_cells(task.input, so_far); };
  if (RunStore(folder).exists() && !RunStore(folder).is_shared()) {
    say("{} is measured and merged\n", folder.string());
    return {status_of(RunStore(folder).load()), folder};
  }
  SharedRun shared(folder, head, std::move(setup), cells, progress);
  return ended(shared, shared.measure(), folder, task);
}

}  // namespace labreport
