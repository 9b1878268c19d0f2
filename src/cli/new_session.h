// What this invocation is measured with and by, as a run keeps it.
#pragma once

#include <string>
#include <vector>

#include "cli/device_choice.h"
#include "cli/measure.h"
#include "cli/worker_info.h"
#include "orchestrate/resume.h"
#include "results/run.h"

namespace labreport {

/// Without names of the machine and the user, unless `flags` keep them.
Session new_session(const RunFlags& flags, const DeviceChoice& choice, const WorkerInfo& worker,
                    const std::vector<std::string>& argv);

/// What of it has to stay the same for the run to be gone on with.
Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session);

}  // namespace labreport
