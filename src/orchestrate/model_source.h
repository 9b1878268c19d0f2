// Checks a model that is not labreport's own before anything is measured.
#pragma once

#include <map>
#include <string>

#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Hides a Python warning on which users cannot act: torch looks for NumPy, which is not installed.
void hide_needless_warnings(std::map<std::string, std::string>& environment);

/// Loads the model in `worker` once and returns the source with the implementation's name, which
/// the worker reports. Throws `InputError` with the worker's reason if it cannot load the model,
/// and prints the traceback to stderr.
ModelSource resolve_model(ModelSource source, const WorkerInfo& worker);

}  // namespace labreport
