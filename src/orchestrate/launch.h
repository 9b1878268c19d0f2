// One launch of a cell: what the worker is asked, how it is started, what its end means.
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
  std::string gpu_uuid;           ///< Empty: the CPU. Several, the first its own: see group.h.
  std::vector<int> cores;         ///< Empty: any.
  std::int64_t memory_bytes = 0;  ///< Of the device; cells that need more are skipped.
  bool whole_gpu = false;         ///< And no slice of one: ranks may be joined on it.
};

struct WorkerSetup {
  std::filesystem::path program;
  std::map<std::string, std::string> environment;  ///< CUDA_VISIBLE_DEVICES comes from the slot.
  double limit_seconds = 0;                  ///< At least, whatever the estimate of a launch …
  double limit_per_estimate = 0;             ///< … and this many times that.
  bool nvtx = false;                         ///< See `LaunchRequest`.
  std::filesystem::path model_program = {};  ///< Measures `model` …
  std::optional<ModelSource> model = {};     ///< … in cells that have an implementation.
  std::string model_problem = {};  ///< Why there is no such program; cells that need it say so.
};

/// The environment for workers: this process's own, without what changes results unless `keep`,
/// and with what a loader under WSL needs to find the driver.
std::map<std::string, std::string> worker_environment(bool keep);

/// What a session records of it: the variables that change results, cleared ones marked as such.
std::map<std::string, std::string> recorded_environment(bool kept);

/// Seconds after which a launch that should take `estimate` is ended.
double limit_seconds(const WorkerSetup& worker, double estimate);

/// Writes the request into the run's scratch folder, where no former result is left; a rank's,
/// which has a rendezvous, into files of its own.
Command prepare_launch(LaunchRequest request, const WorkerSetup& worker, const Slot& slot,
                       const RunStore& store, double limit_seconds);

/// A worker's exit status where a collective failed: its result tells no more than that.
inline constexpr int kLostGroupStatus = 4;

/// "was ended at its time limit", "died of signal 9 (Killed)", "ended with exit status 3".
std::string how_it_ended(const Ended& ended);

/// Where that worker leaves its result.
std::filesystem::path result_of(const LaunchRequest& request, const RunStore& store);

/// What a finished worker leaves.
struct Answer {
  Launch body;                       ///< `session` and `device` are still to be filled in.
  std::optional<Software> software;  ///< From a valid result.
  std::optional<Device> device;
  bool device_unusable = false;  ///< No cell can be measured on it; `body` says why.
};

/// The result file is judged first, the worker's end second: after a valid result of the right cell
/// a death is a warning. `kernel_killed`: the kernel killed a process for want of memory meanwhile.
Answer judge(const LaunchRequest& request, const std::filesystem::path& result_file,
             const Ended& ended, double limit_seconds, bool kernel_killed);

}  // namespace labreport
