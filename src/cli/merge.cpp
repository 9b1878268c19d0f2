// labreport merge: what the tasks of several shards wrote → run.json.
#include <fmt/format.h>

#include "analysis/noise_floor.h"
#include "base/error.h"
#include "base/format.h"
#include "base/gpu.h"
#include "cli/recorded_plan.h"
#include "cli/shard.h"
#include "cli/verbs.h"
#include "experiments/catalog.h"
#include "orchestrate/resume.h"
#include "orchestrate/shared_run.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

/// What the tasks planned, on a machine that has neither their GPU nor their model.
PlanInput recorded_input(const Run& plan, const Run& run) {
  const bool cpu = std::ranges::any_of(
      run.cells, [](const Cell& cell) { return cell.spec.device == DeviceKind::kCpu; });
  PlanInput input = plan_input(requested(plan), parse_preset(plan.preset),
                               cpu ? DeviceKind::kCpu : DeviceKind::kCuda);
  const bool bf16 = std::ranges::all_of(run.devices, [](const Device& device) {
    return device.kind == DeviceKind::kCpu || computes_in_bf16(device.compute_capability);
  });
  input.half = bf16 ? Precision::kBf16 : Precision::kFp16;
  const auto& source = plan.sessions.front().model;
  (source && source->attention ? input.selection.attention : input.selection.model) = source;
  return input;
}

[[noreturn]] void refuse_missing(const RunStore& store, const Run& run, std::size_t missing) {
  const auto unreleased = Claims(store.claims_folder(), "", {}).unreleased();
  const std::string shards = missing_shards(run, unreleased);
  throw InputError(
      fmt::format("{} lacks {}{}", store.folder().string(),
                  format_plural(static_cast<std::int64_t>(missing), "launch", "launches"),
                  shards.empty() ? "" : ": " + shards),
      "start its tasks again, or take what is there with --partial");
}

ExitStatus merge_one(const RunStore& store, const Run& plan, bool partial) {
  if (!store.is_shared()) return status_of(store.load());
  store.refuse_links();
  Run run = store.load();
  const std::vector<PlannedCell> wanted = plan_cells(recorded_input(plan, run), run);
  const std::size_t missing = missing_launches(wanted, run);
  if (missing > 0 && !partial) refuse_missing(store, run, missing);
  run = in_planned_order(std::move(run), wanted);
  run.noise_floor = noise_floor(run);
  if (missing > 0) {
    store.save(run);  // its tasks can go on
  } else {
    merge_shared(store, run);
  }
  return status_of(run);
}

/// Then it is not known either for what device its plan is.
bool is_empty(const fs::path& run) { return !has_launches(RunStore(run).load()); }

struct MergeFlags {
  std::string folder;
  bool partial = false;
};

ExitStatus merge(const MergeFlags& flags) {
  const auto& [named, partial] = flags;
  if (named.empty()) throw InputError("merge needs the folder that the tasks share");
  const Run plan = shared_plan(named);
  ExitStatus status = ExitStatus::kDone;
  std::vector<fs::path> folders = list_runs(named);
  if (partial) std::erase_if(folders, is_empty);
  if (folders.empty()) {
    throw InputError(named + " holds no launch yet", "wait for its tasks, or start them");
  }
  for (const fs::path& folder : folders) {
    if (merge_one(RunStore(folder), plan, partial) != ExitStatus::kDone) {
      status = ExitStatus::kIncomplete;
    }
    fmt::print("{}\n", folder.string());
  }
  return status;
}

}  // namespace

void add_merge(CLI::App& app, Invocation& invocation) {
  const auto [verb, flags] = add_verb<MergeFlags>(
      app, invocation, "merge", "join what tasks with --shard wrote into run.json", merge);
  verb->add_option("folder", flags->folder, "FOLDER: the --out of the tasks");
  verb->add_flag("--partial", flags->partial, "take what is there; the tasks can still go on");
}

}  // namespace labreport
