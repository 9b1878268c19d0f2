// A run as a command line names it.
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// `named` is a run's folder, where launches not yet merged are read too, or a run.json. Throws
/// `InputError`.
Run load_run(const std::string& named);

}  // namespace labreport
