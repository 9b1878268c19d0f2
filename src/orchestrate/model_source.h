// A model that is not labreport's own, before anything is measured.
#pragma once

#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// The source with its implementation, for which `worker` loads it. Throws `InputError` with what
/// the worker says of a model that it cannot load; its traceback goes to stderr.
ModelSource resolved(ModelSource source, const WorkerInfo& worker);

}  // namespace labreport
