// The worker reads one request and writes one result.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

inline constexpr int kWorkerDone = 0;
inline constexpr int kWorkerBadInput = 2;
inline constexpr int kWorkerNoDevice = 3;   ///< The device cannot start, so no cell can run on it.
inline constexpr int kWorkerLostGroup = 4;  ///< A collective failed; another rank may be the cause.

/// Measures the request; an error becomes the report's outcome. A device that cannot run sets
/// `status` to kWorkerNoDevice, a `GroupError` to kWorkerLostGroup; nothing else changes `status`.
LaunchReport measure(const LaunchRequest& request, int& status);

/// Runs the worker and returns the exit status; the caller ends the process. `python_version` goes
/// into the result; it is empty unless networks are Python objects. The lines of `notes`, which is
/// called after the measurement, become warnings of the launch. A `UserCodeError` of `notes` takes
/// the place of the launch's results.
int run_worker(const std::vector<std::string>& arguments, const std::string& python_version = {},
               const std::function<std::vector<std::string>()>& notes = {});

}  // namespace labreport
