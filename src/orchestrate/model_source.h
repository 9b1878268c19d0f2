// Checks a model that is not labreport's own before anything is measured.
#pragma once

#include <map>
#include <string>

#include "orchestrate/worker_info.h"
#include "results/run.h"

namespace labreport {

/// Hides a Python warning on which users cannot act: torch looks for NumPy, which is not installed.
void hide_needless_warnings(std::map<std::string, std::string>& environment);

/// Loads the model in `worker` once and returns the source with what the worker reports: the
/// implementation's name and, of a maker of training steps, what it takes. For that the worker runs
/// a step of the cell `first`, on the GPU with this UUID or without one on the CPU. Throws
/// `InputError` with the worker's reason if this fails, and prints the traceback to stderr.
ModelSource resolve_model(ModelSource source, const WorkerInfo& worker, const CellSpec& first = {},
                          const std::string& gpu_uuid = "");

/// Looks through the folder of a course checkout, and returns what the worker found there as JSON.
/// Throws `InputError` with the worker's reason if the folder is none.
std::string describe_course(const std::string& folder, const WorkerInfo& worker);

}  // namespace labreport
