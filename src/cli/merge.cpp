// labreport merge joins the runs of a plan's shards into one run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/gpu.h"
#include "base/messages.h"
#include "base/text.h"
#include "cli/joined_run.h"
#include "cli/measure.h"
#include "cli/recorded_plan.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "orchestrate/queue.h"
#include "orchestrate/resume.h"
#include "orchestrate/shard.h"
#include "results/run_json.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNameShards = "name the --out of `labreport run --shard`";

struct ShardRun {
  fs::path folder;
  Run run;
};

/// Returns the newest run of each shard, by the shard's number.
std::map<std::int64_t, ShardRun> read_shards(const std::string& root) {
  if (!fs::is_directory(root))
    throw InputError(root + (fs::exists(root) ? " is no folder" : " is not there"), kNameShards);
  std::map<std::int64_t, ShardRun> shards;
  std::int64_t shard_count = 0;
  for (const fs::path& folder : list_runs(root)) {
    ShardRun shard{folder, RunStore(folder).load()};
    const auto text = original_request(shard.run).shard;
    if (!text) continue;
    const Shard id = parse_shard(*text);
    if (shard_count != 0 && id.count != shard_count) {
      throw InputError(fmt::format("{} holds shards of {} and of {}", root, shard_count, id.count),
                       "give each plan a folder of its own");
    }
    shard_count = id.count;
    shards.insert_or_assign(id.number, std::move(shard));
  }
  if (!shards.empty()) return shards;
  throw InputError("no shards in " + root, kNameShards);
}

/// Returns the surroundings of the run's last session, which count for the whole run.
Surroundings surroundings_of(const Run& run) {
  const Session& last = run.sessions.back();
  return {.edition = run.edition,
          .preset = run.preset,
          .revision = last.revision,
          .dirty = last.dirty,
          .libtorch = last.software.libtorch,
          .driver = last.software.driver,
          .gpu_hashes = {},
          .implementation = last.model ? last.model->implementation : ""};
}

Run without_shard(Run run) {
  for (Session& session : run.sessions) session.request.shard.reset();
  return run;
}

std::string device_name(const Run& run) {
  return run.devices.empty() ? "" : run.devices.front().name;
}

/// Throws if the shards differ in a property that all rows of one report must share.
void refuse_different_run(const Run& first, const Run& other) {
  std::string reason = first_difference(other, surroundings_of(first));
  if (device_name(other) != device_name(first)) {
    reason = fmt::format("one is of {}, another of {}", device_name(first), device_name(other));
  }
  const std::string flags = plan_flags(without_shard(first));
  const std::string other_flags = plan_flags(without_shard(other));
  if (flags != other_flags) {
    reason = fmt::format("one was begun with `{}`, another with `{}`", flags, other_flags);
  }
  if (reason.empty()) return;
  throw InputError("these shards are not of one run: " + reason,
                   "give each plan and each kind of device a folder of its own");
}

Run merge_runs(const std::map<std::int64_t, ShardRun>& shards) {
  const Run& first = shards.begin()->second.run;
  Run run;
  run.edition = first.edition;
  run.preset = first.preset;
  for (const auto& [number, shard] : shards) {
    refuse_different_run(first, shard.run);
    append_run(run, shard.run);
  }
  return without_shard(std::move(run));
}

/// Rebuilds the input of the tasks' plan on a machine that may have neither their GPU nor their
/// model.
PlanInput recorded_input(const Run& run) {
  const bool has_cpu = std::ranges::any_of(
      run.devices, [](const Device& device) { return device.kind == DeviceKind::kCpu; });
  PlanInput input = plan_input(original_request(run), parse_name<Preset>(run.preset),
                               has_cpu ? DeviceKind::kCpu : DeviceKind::kCuda);
  const bool all_have_bf16 = std::ranges::all_of(run.devices, [](const Device& device) {
    return device.kind == DeviceKind::kCpu || computes_in_bf16(device.compute_capability);
  });
  input.half_precision = all_have_bf16 ? Precision::kBf16 : Precision::kFp16;
  use_code_of(run.sessions.front(), input.selection);
  keep_what_step_takes(input);
  return input;
}

/// Adds the planned cells that no task measured, and sorts all cells in the plan's order. Returns
/// the number of missing launches.
std::int64_t complete_plan(Run& run) {
  const std::vector<PlannedCell> planned = plan_cells(recorded_input(run), run);
  for (const PlannedCell& cell : planned) run.find_or_add(cell.spec);
  LaunchQueue queue([](const CellSpec&) { return 1.0; });  // Only order and number matter.
  queue.plan(planned, run);
  std::ranges::stable_sort(run.cells, {},
                           [&](const Cell& cell) { return queue.position(cell.id); });
  const RunProgress progress = queue.progress(1);
  return static_cast<std::int64_t>(progress.total - progress.done);
}

/// Returns "shard 3/4 never began and shard 2/4 did not finish".
std::string missing_words(const std::map<std::int64_t, ShardRun>& shards) {
  const auto shard_count = parse_shard(*original_request(shards.begin()->second.run).shard).count;
  std::vector<std::string> missing;
  for (std::int64_t number = 1; number <= shard_count; ++number) {
    const auto shard = shards.find(number);
    if (shard == shards.end()) {
      missing.push_back(shard_words({number, shard_count}) + " never began");
    } else if (fs::exists(RunStore(shard->second.folder).cells_folder())) {
      missing.push_back(shard_words({number, shard_count}) + " did not finish");
    }
  }
  return join_words(missing);
}

/// Returns the folder of an earlier merge of the same launches, if there is one in the place of the
/// new run.
std::optional<fs::path> earlier_merge(const std::string& root, const Run& run) {
  const fs::path path = new_run_path(root, run);
  const std::string json = to_json(run);
  fs::path folder = path;
  for (int number = 2; fs::exists(folder); ++number) {
    if (const RunStore store(folder); store.exists() && to_json(store.load()) == json)
      return folder;
    folder = path.string() + "-" + std::to_string(number);
  }
  return std::nullopt;
}

struct MergeFlags {
  std::vector<std::string> folders;
  std::string out = "site/runs";
  bool partial = false;
};

ExitStatus merge(const MergeFlags& flags) {
  if (flags.folders.size() != 1) {
    throw InputError("merge needs the one folder that holds all shards of a plan",
                     std::string(kNameShards) + "; `labreport submit` joins other runs");
  }
  const std::string& folder = flags.folders.front();
  const auto shards = read_shards(folder);
  Run run = merge_runs(shards);
  if (!has_launches(run)) {
    throw InputError(folder + " holds no launch yet", "wait for the shards, or start them");
  }
  const std::int64_t missing = complete_plan(run);
  const std::string missing_shards = missing_words(shards);
  if (missing > 0 && !flags.partial) {
    throw InputError(
        fmt::format("{} lacks {}{}", folder, format_plural(missing, "launch", "launches"),
                    missing_shards.empty() ? "" : ": " + missing_shards),
        "resume its shards, or join what is there with --partial");
  }
  const auto earlier = earlier_merge(flags.out, run);
  std::vector<fs::path> folders;
  for (const auto& [number, shard] : shards) folders.push_back(shard.folder);
  if (earlier) say("these launches are joined already\n");
  fmt::print("{}\n", earlier ? earlier->string() : write_joined(run, folders, flags.out).string());
  const ExitStatus status = exit_status_of(run);
  return missing > 0 ? ExitStatus::kIncomplete : status;
}

}  // namespace

void add_merge(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<MergeFlags>(
      app, invocation, "merge", "join the runs of all shards into one run", merge);
  verb->add_option("folder", flags->folders, "FOLDER: the --out of the shards");
  verb->add_option("--out", flags->out, "folder of runs (site/runs)");
  verb->add_flag("--partial", flags->partial,
                 "join the launches that are there; shards can still be resumed");
}

}  // namespace labreport
