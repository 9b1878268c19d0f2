// A model that is not labreport's own, before anything is measured.
#pragma once

#include <map>
#include <string>

#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Lets a worker's Python keep to itself what its user cannot act on: that NumPy, which torch
/// looks for, is not there.
void hide_needless_warnings(std::map<std::string, std::string>& environment);

/// The source with its implementation, for which `worker` loads it. Throws `InputError` with what
/// the worker says of a model that it cannot load; its traceback goes to stderr.
ModelSource resolved(ModelSource source, const WorkerInfo& worker);

}  // namespace labreport
