// Describes a session: the machine, software and request of this invocation, as a run records them.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "orchestrate/launch.h"
#include "orchestrate/resume.h"
#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Leaves out names of the machine and the user, unless `keep_host`.
Session new_session(const Request& request, bool keep_host, const DeviceChoice& choice,
                    const WorkerInfo& worker, const WorkerSetup& setup,
                    const std::vector<std::string>& argv);

Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session);

}  // namespace labreport
