// The worker: one request in, one result out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/run.h"

namespace labreport {

inline constexpr int kWorkerDone = 0;
inline constexpr int kWorkerBadInput = 2;
inline constexpr int kWorkerNoDevice = 3;   ///< The device cannot start: no cell can run on it.
inline constexpr int kWorkerLostGroup = 4;  ///< A collective failed: another rank may be at fault.

/// Measures, whatever comes of it: errors become the outcome. `DeviceError` becomes one too, and
/// sets `status` to kWorkerNoDevice, `GroupError` to kWorkerLostGroup.
LaunchReport measure(const LaunchRequest& request, int& status);

/// The whole program but for its end. Returns the exit status. `python`: the version of the one
/// that runs the networks, for the result.
int run_worker(const std::vector<std::string>& arguments, const std::string& python = {});

}  // namespace labreport
