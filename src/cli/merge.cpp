// labreport merge joins the runs of a plan's shards into one run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/format.h"
#include "base/gpu.h"
#include "base/text.h"
#include "cli/measure.h"
#include "cli/recorded_plan.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "orchestrate/queue.h"
#include "orchestrate/resume.h"
#include "orchestrate/shard.h"
#include "results/launch_file.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

struct ShardRun {
  fs::path folder;
  Run run;
};

/// The newest run of each shard, by its number.
std::map<std::int64_t, ShardRun> shards_in(const std::string& root) {
  std::map<std::int64_t, ShardRun> shards;
  std::int64_t of = 0;
  for (const fs::path& folder : list_runs(root)) {
    ShardRun shard{folder, RunStore(folder).load()};
    const auto text = requested(shard.run).shard;
    if (!text) continue;
    const Shard which = parse_shard(*text);
    if (of != 0 && which.of != of) {
      throw InputError(fmt::format("{} holds shards of {} and of {}", root, of, which.of),
                       "give each plan a folder of its own");
    }
    of = which.of;
    shards.insert_or_assign(which.number, std::move(shard));
  }
  if (!shards.empty()) return shards;
  throw InputError("no shards in " + root, "name the --out of `labreport run --shard`");
}

/// The last session's surroundings count for the whole run.
Surroundings surroundings_of(const Run& run) {
  const Session& last = run.sessions.back();
  return {run.edition,
          run.preset,
          last.revision,
          last.dirty,
          last.software.libtorch,
          last.software.driver,
          {},
          last.model ? last.model->implementation : ""};
}

Run without_shard(Run run) {
  for (Session& session : run.sessions) session.request.shard.reset();
  return run;
}

std::string device_name(const Run& run) {
  return run.devices.empty() ? "" : run.devices.front().name;
}

/// Throws if the runs differ in what the rows of one report must share.
void refuse_unlike(const Run& first, const Run& other) {
  std::string different = first_difference(other, surroundings_of(first));
  if (device_name(other) != device_name(first)) {
    different = fmt::format("one is of {}, another of {}", device_name(first), device_name(other));
  }
  const std::string flags = plan_words(without_shard(first));
  const std::string others = plan_words(without_shard(other));
  if (flags != others) {
    different = fmt::format("one was begun with `{}`, another with `{}`", flags, others);
  }
  if (different.empty()) return;
  throw InputError("these shards are not of one run: " + different,
                   "give each plan and each kind of device a folder of its own");
}

void add_launch(Run& run, const Run& from, const CellSpec& spec, Launch launch,
                std::size_t sessions) {
  launch.session += static_cast<std::int64_t>(sessions);
  if (launch.device) {
    launch.device =
        find_or_add_device(run, from.devices.at(static_cast<std::size_t>(*launch.device)));
  }
  run.find_or_add(spec).launches.push_back(std::move(launch));
}

void add(Run& run, const Run& shard) {
  const std::size_t sessions = run.sessions.size();
  run.sessions.insert(run.sessions.end(), shard.sessions.begin(), shard.sessions.end());
  for (const Cell& cell : shard.cells) {
    for (const Launch& launch : cell.launches) {
      add_launch(run, shard, cell.spec, launch, sessions);
    }
  }
}

Run joined(const std::map<std::int64_t, ShardRun>& shards) {
  const Run& first = shards.begin()->second.run;
  Run run;
  run.edition = first.edition;
  run.preset = first.preset;
  for (const auto& [number, shard] : shards) {
    refuse_unlike(first, shard.run);
    add(run, shard.run);
  }
  return without_shard(std::move(run));
}

/// Rebuilds the tasks' plan on a machine that has neither their GPU nor their model.
PlanInput recorded_input(const Run& run) {
  const bool cpu = std::ranges::any_of(
      run.devices, [](const Device& device) { return device.kind == DeviceKind::kCpu; });
  PlanInput input = plan_input(requested(run), parse_preset(run.preset),
                               cpu ? DeviceKind::kCpu : DeviceKind::kCuda);
  const bool bf16 = std::ranges::all_of(run.devices, [](const Device& device) {
    return device.kind == DeviceKind::kCpu || computes_in_bf16(device.compute_capability);
  });
  input.half = bf16 ? Precision::kBf16 : Precision::kFp16;
  const auto& source = run.sessions.front().model;
  (source && source->attention ? input.selection.attention : input.selection.model) = source;
  return input;
}

/// Adds planned cells that nobody measured, and sorts all cells in the plan's order. Returns the
/// number of missing launches.
std::int64_t complete(Run& run) {
  const std::vector<PlannedCell> planned = plan_cells(recorded_input(run), run);
  for (const PlannedCell& cell : planned) run.find_or_add(cell.spec);
  LaunchQueue queue([](const CellSpec&) { return 1.0; });
  queue.plan(planned, run);
  std::ranges::stable_sort(run.cells, {},
                           [&](const Cell& cell) { return queue.position(cell.id); });
  const RunProgress progress = queue.progress(1);
  return static_cast<std::int64_t>(progress.total - progress.done);
}

/// "shard 3/4 never began and shard 2/4 did not finish"
std::string missing_words(const std::map<std::int64_t, ShardRun>& shards) {
  const auto of = parse_shard(*requested(shards.begin()->second.run).shard).of;
  std::vector<std::string> missing;
  for (std::int64_t number = 1; number <= of; ++number) {
    const auto shard = shards.find(number);
    if (shard == shards.end()) {
      missing.push_back(words({number, of}) + " never began");
    } else if (fs::exists(RunStore(shard->second.folder).cells_folder())) {
      missing.push_back(words({number, of}) + " did not finish");
    }
  }
  return join_words(missing);
}

/// Copies traces and snapshots; names contain cell and launch, so shards do not collide.
void copy_artifacts(const std::map<std::int64_t, ShardRun>& shards, const RunStore& store) {
  for (const auto& [number, shard] : shards) {
    const RunStore from(shard.folder);
    from.refuse_links();
    if (!fs::exists(from.artifacts_folder())) continue;
    fs::copy(from.artifacts_folder(), store.artifacts_folder(),
             fs::copy_options::recursive | fs::copy_options::skip_existing |
                 fs::copy_options::skip_symlinks);
  }
}

struct MergeFlags {
  std::string folder;
  std::string out = "site/runs";
  bool partial = false;
};

ExitStatus merge(const MergeFlags& flags) {
  if (flags.folder.empty())
    throw InputError("merge needs the folder of the shards",
                     "name the --out of `labreport run --shard`");
  const auto shards = shards_in(flags.folder);
  Run run = joined(shards);
  if (!has_launches(run)) {
    throw InputError(flags.folder + " holds no launch yet", "wait for the shards, or start them");
  }
  const std::int64_t missing = complete(run);
  const std::string which = missing_words(shards);
  if (missing > 0 && !flags.partial) {
    throw InputError(
        fmt::format("{} lacks {}{}", flags.folder, format_plural(missing, "launch", "launches"),
                    which.empty() ? "" : ": " + which),
        "resume its shards, or join what is there with --partial");
  }
  const RunStore store(make_run_folder(flags.out, run));
  store.create(run);
  copy_artifacts(shards, store);
  store.finish(run);
  fmt::print("{}\n", store.folder().string());
  const ExitStatus status = status_of(run);
  return missing > 0 ? ExitStatus::kIncomplete : status;
}

}  // namespace

void add_merge(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<MergeFlags>(
      app, invocation, "merge", "join the runs of all shards into one run", merge);
  verb->add_option("folder", flags->folder, "FOLDER: the --out of the shards");
  verb->add_option("--out", flags->out, "folder of runs (site/runs)");
  verb->add_flag("--partial", flags->partial,
                 "join the launches that are there; shards can still be resumed");
}

}  // namespace labreport
