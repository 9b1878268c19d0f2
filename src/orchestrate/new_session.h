// What this invocation is measured with and by, as a run keeps it.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "orchestrate/resume.h"
#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Without names of the machine and the user, unless `keep_host`.
Session new_session(const Request& request, bool keep_host, const DeviceChoice& choice,
                    const WorkerInfo& worker, const std::optional<ModelSource>& model,
                    const std::vector<std::string>& argv);

/// What of it has to stay the same for the run to be gone on with.
Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session);

}  // namespace labreport
