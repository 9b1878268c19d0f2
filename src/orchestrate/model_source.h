// Checks a model that is not labreport's own before anything is measured.
#pragma once

#include <map>
#include <string>

#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Hides a warning of a worker's Python that its user cannot act on: torch looks for NumPy, which
/// is not there.
void hide_needless_warnings(std::map<std::string, std::string>& environment);

/// Returns the source with its implementation's name, which `worker` reports after loading it.
/// Throws `InputError` with the worker's reason if it cannot load the model; its traceback goes to
/// stderr.
ModelSource resolved(ModelSource source, const WorkerInfo& worker);

}  // namespace labreport
