#include "cli/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "orchestrate/model_source.h"
#include "publish/scratch_folder.h"
#include "results/shipped_variant.h"

namespace labreport {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTracebackFile = "traceback.txt";

/// Cells are tried in this order. Training steps and attention come first, then timings,
/// then networks of few layers and small width, then short contexts.
auto trial_order(const PlannedCell& cell) {
  const CellSpec& spec = cell.spec;
  const bool whole_step = spec.attention || spec.mode == Mode::kTrainStep;
  const std::int64_t width = spec.model ? spec.model->layers * spec.model->d_model : 0;
  return std::tuple(!whole_step, spec.kind != CellKind::kTiming, width, spec.context.value_or(0));
}

CellSpec with_one_step(CellSpec spec) {
  spec.warmup = 0;
  spec.steps = 1;
  if (spec.attention) {
    spec.attention->lengths = {std::ranges::min(spec.attention->lengths)};
  }
  return spec;
}

/// Returns the first cell of each precision and head dimension, because code may run in some only.
std::vector<CellSpec> trial_cells(const std::vector<PlannedCell>& wanted) {
  std::vector<PlannedCell> user_cells;
  std::ranges::copy_if(wanted, std::back_inserter(user_cells), [](const PlannedCell& cell) {
    return !cell.spec.implementation.empty() && !is_shipped(cell.spec) && !cell.spec.ranks;
  });
  std::ranges::stable_sort(user_cells, {}, trial_order);
  std::set<std::tuple<std::optional<Precision>, std::int64_t>> seen;
  std::vector<CellSpec> first_cells;
  for (const auto& [spec, launches, gpu_trace] : user_cells) {
    const std::int64_t head_dim = spec.attention ? spec.attention->head_dim : 0;
    if (seen.emplace(spec.precision, head_dim).second) first_cells.push_back(with_one_step(spec));
  }
  return first_cells;
}

LaunchResult launch_trial(const CellSpec& spec, const WorkerSetup& worker, const Slot& slot,
                          CompletedProcess& process) {
  const LaunchRequest request{.spec = spec};
  const ScratchFolder scratch;
  const RunStore store(scratch.path());
  make_writable_folder(store.scratch_folder());
  const double limit_seconds = worker.min_limit_seconds;
  Command command = prepare_launch(request, worker, slot, store, limit_seconds);
  hide_needless_warnings(*command.environment);
  process = run_to_end(command);
  return judge_launch(request, store.result_file(request), process, limit_seconds, false);
}

[[noreturn]] void throw_failure(const Launch& launch, const CompletedProcess& process,
                                const fs::path& root) {
  const fs::path file = root / kTracebackFile;
  make_writable_folder(root);
  const std::string traceback = join(launch.warnings, "\n");
  write_atomically(file, traceback.empty() ? process.messages : traceback);
  const auto* failure = std::get_if<Failed>(&launch.outcome);
  throw InputError(failure != nullptr ? failure->message : describe(launch.outcome),
                   "nothing is measured, and the traceback is in " + file.string());
}

}  // namespace

void try_once(const std::vector<PlannedCell>& wanted, const WorkerSetup& worker, const Slot& slot,
              const fs::path& root) {
  std::optional<std::pair<LaunchResult, CompletedProcess>> first_failure;
  std::string skip_reason;
  for (const CellSpec& spec : trial_cells(wanted)) {
    CompletedProcess process;
    LaunchResult result = launch_trial(spec, worker, slot, process);
    if (const auto* skipped = std::get_if<Skipped>(&result.launch.outcome)) {
      skip_reason = skipped->reason;
      continue;
    }
    // The first measurement refuses an unusable device, with advice.
    if (!is_failure(result.launch.outcome) || result.is_device_unusable) {
      remove_tree(root / kTracebackFile);
      return;
    }
    const bool timed_out = process.timed_out;
    if (!first_failure) first_failure.emplace(std::move(result), std::move(process));
    if (timed_out) break;
  }
  if (first_failure) throw_failure(first_failure->first.launch, first_failure->second, root);
  if (!skip_reason.empty()) throw InputError(skip_reason, "nothing is measured");
}

}  // namespace labreport
