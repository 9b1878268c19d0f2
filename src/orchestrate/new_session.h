// Describes a session: the machine, software and request of this invocation, as a run records them.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "orchestrate/resume.h"
#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Returns the session of this invocation. Names of the machine and the user are left out unless
/// `keep_host`.
Session new_session(const Request& request, bool keep_host, const DeviceChoice& choice,
                    const WorkerInfo& worker, const std::optional<ModelSource>& model,
                    const std::vector<std::string>& argv);

/// Returns the properties of this invocation that a resumed run must share.
Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session);

}  // namespace labreport
