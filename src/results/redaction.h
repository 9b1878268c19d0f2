// What a run keeps without the names of who measured it and where.
#pragma once

#include "base/redaction.h"
#include "results/run.h"

namespace labreport {

/// The command's words but for the program, the verb and the flags; values of flags other than
/// those of folders lose what stands in a path or an address alone, so that the command still says
/// what it did. The request likewise, and the environment's values.
void redact(Session& session, const PrivateNames& names);

/// What a worker said: why it ended, warnings, reasons for what is absent.
void redact(Launch& launch, const PrivateNames& names);

}  // namespace labreport
