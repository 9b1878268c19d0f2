// What a run keeps without the names of who measured it and where.
#pragma once

#include "base/private_names.h"
#include "results/run.h"

namespace labreport {

/// The command and the environment's values.
void leave_out_names(Session& session, const PrivateNames& names);

/// What a worker said: why it ended, warnings, reasons for what is absent.
void leave_out_names(Launch& launch, const PrivateNames& names);

}  // namespace labreport
