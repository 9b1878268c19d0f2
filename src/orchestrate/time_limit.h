// When a launch has taken too long.
#pragma once

#include <optional>
#include <string>

#include "orchestrate/launch.h"

namespace labreport {

/// Sets `worker`'s limits to what --timeout says, which is one limit for all launches; to the
/// program's own, which grow with what is to be measured, where it says nothing. Throws
/// `InputError` for what is no time.
void set_time_limit(WorkerSetup& worker, const std::optional<std::string>& timeout);

}  // namespace labreport
