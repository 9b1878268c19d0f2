// Prepares one launch of a cell, and judges its result by the result file and the worker's end.
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
  std::string gpu_uuids;   ///< One UUID; empty for the CPU. A rank's slot lists the GPUs of all
                           ///< ranks, separated by commas, and begins with the rank's own.
  std::vector<int> cores;  ///< The cores that the worker may use; empty for all.
  std::int64_t memory_bytes = 0;  ///< The device's memory; cells that need more are skipped.
  bool is_whole_gpu = false;      ///< False for a CPU or a MIG slice, which NCCL cannot join.
};

struct WorkerSetup {
  std::filesystem::path program;
  std::map<std::string, std::string> environment;  ///< CUDA_VISIBLE_DEVICES comes from the slot.
  double min_limit_seconds = 0;                    ///< No launch has a shorter time limit.
  double limit_per_estimate = 0;  ///< The time limit is at least this multiple of the estimate.
  bool nvtx = false;              ///< See `LaunchRequest`.
  std::filesystem::path model_program = {};       ///< Measures cells that have an implementation.
  std::optional<ModelSource> model = {};          ///< The user's code, if such a cell needs it.
  std::vector<ModelSource> more_attentions = {};  ///< See `Session`.
  std::string model_problem = {};  ///< Why `model_program` is missing; cells that need it are
                                   ///< skipped with this reason.
};

/// Returns the environment for workers: this process's own, without variables that change results
/// unless `keep_result_changing`, and with the path on which a loader under WSL finds the driver.
std::map<std::string, std::string> worker_environment(bool keep_result_changing);

/// Returns this process's variables that change results, as a session records them. Unless
/// `keep_result_changing`, variables that workers do not get are marked "(cleared)".
std::map<std::string, std::string> recorded_environment(bool keep_result_changing);

/// Returns the seconds after which a launch is ended.
double launch_limit_seconds(const WorkerSetup& worker, double estimated_seconds);

/// Writes the request into the run's scratch folder, removes a former result, and returns the
/// command that starts the worker. A request with a rendezvous is for one rank, which gets files of
/// its own.
Command prepare_launch(LaunchRequest request, const WorkerSetup& worker, const Slot& slot,
                       const RunStore& store, double limit_seconds);

/// The exit status of a worker whose collective failed. It does not say which rank is at fault.
inline constexpr int kCollectiveFailedStatus = 4;

/// Returns "was ended at its time limit", "died of signal 9 (Killed)", "ended with exit status 3".
std::string describe_end(const CompletedProcess& process);

struct LaunchResult {
  Launch launch;                     ///< The caller fills in `session` and `device`.
  std::optional<Software> software;  ///< Set by a valid result.
  std::optional<Device> device;
  bool is_device_unusable = false;  ///< The device can measure no cell; the outcome says why.
};

/// Returns the launch's result. The result file decides first, and the process's end second: after
/// a valid result of the right cell, a death is only a warning. `host_ran_out_of_memory` is true if
/// Linux killed a process for lack of host memory during the launch.
LaunchResult judge_launch(const LaunchRequest& request, const std::filesystem::path& result_file,
                          const CompletedProcess& process, double limit_seconds,
                          bool host_ran_out_of_memory);

}  // namespace labreport
