// Defines one launch of a cell: the request to the worker, its start, and the meaning of its end.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrate/subprocess.h"
#include "results/run.h"
#include "results/run_store.h"

namespace labreport {

/// A place where one worker at a time runs.
struct Slot {
  std::string gpu_uuid;           ///< Empty for the CPU. A rank's slot lists all ranks' GPUs, its
                                  ///< own first, with commas.
  std::vector<int> cores;         ///< Empty for any.
  std::int64_t memory_bytes = 0;  ///< The device's memory; cells that need more are skipped.
  bool whole_gpu = false;         ///< False for a CPU or a MIG slice, which NCCL cannot join.
};

struct WorkerSetup {
  std::filesystem::path program;
  std::map<std::string, std::string> environment;  ///< CUDA_VISIBLE_DEVICES comes from the slot.
  double limit_seconds = 0;                        ///< The least limit, whatever the estimate.
  double limit_per_estimate = 0;                   ///< The limit is at least this many times the
                                                   ///< estimate.
  bool nvtx = false;                               ///< See `LaunchRequest`.
  std::filesystem::path model_program = {};        ///< Measures cells that have an implementation.
  std::optional<ModelSource> model = {};           ///< The user's model, if such a cell needs it.
  std::string model_problem = {};  ///< Why `model_program` is missing; cells that need it are
                                   ///< skipped with this reason.
};

/// The environment for workers: this process's own, without variables that change results unless
/// `keep`, and with those that a loader under WSL needs to find the driver.
std::map<std::string, std::string> worker_environment(bool keep);

/// Returns this process's variables that change results, as a session records them. Unless `kept`,
/// those that workers do not get are marked "(cleared)".
std::map<std::string, std::string> recorded_environment(bool kept);

/// Seconds after which a launch that should take `estimate` is ended.
double limit_seconds(const WorkerSetup& worker, double estimate);

/// Writes the request into the run's scratch folder and removes a former result. A rank, whose
/// request has a rendezvous, gets files of its own.
Command prepare_launch(LaunchRequest request, const WorkerSetup& worker, const Slot& slot,
                       const RunStore& store, double limit_seconds);

/// A worker's exit status after a collective failed, which does not say whose fault it is.
inline constexpr int kLostGroupStatus = 4;

/// "was ended at its time limit", "died of signal 9 (Killed)", "ended with exit status 3".
std::string how_it_ended(const Ended& ended);

std::filesystem::path result_of(const LaunchRequest& request, const RunStore& store);

struct Answer {
  Launch body;                       ///< `session` and `device` are still to be filled in.
  std::optional<Software> software;  ///< Set by a valid result.
  std::optional<Device> device;
  bool device_unusable = false;  ///< No cell can be measured on the device; `body` says why.
};

/// Judges the result file first and the worker's end second: after a valid result of the right
/// cell, a death is a warning. `kernel_killed`: during the launch, Linux killed a process because
/// host memory ran out.
Answer judge(const LaunchRequest& request, const std::filesystem::path& result_file,
             const Ended& ended, double limit_seconds, bool kernel_killed);

}  // namespace labreport
