// What this invocation is measured with and by, as a run keeps it.
#pragma once

#include <string>
#include <vector>

#include "orchestrate/device_choice.h"
#include "orchestrate/resume.h"
#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// What a session keeps of its surroundings beyond the default.
struct KeptSurroundings {
  bool keep_env = false;   ///< Workers see the variables that change results.
  bool keep_host = false;  ///< The machine's name, and paths with the user's, are recorded.
};

/// Without names of the machine and the user, unless they are to be kept.
Session new_session(const KeptSurroundings& flags, const DeviceChoice& choice,
                    const WorkerInfo& worker, const std::optional<ModelSource>& model,
                    const std::vector<std::string>& argv);

/// What of it has to stay the same for the run to be gone on with.
Surroundings surroundings(const PlanInput& input, const DeviceChoice& choice,
                          const Session& session);

}  // namespace labreport
