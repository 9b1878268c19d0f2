// Removes the names of people, machines and folders from what a run keeps.
#pragma once

#include "base/redaction.h"
#include "results/run.h"

namespace labreport {

/// Redacts the command's values, the request, the model's words and the environment's values.
/// Program, verb and names of flags stay. In a value that is no folder, the names of host and user
/// are replaced only in paths and addresses, so the command still shows what it did.
void redact(Session& session, const PrivateNames& names);

/// Redacts the worker's texts: its last output, warnings, and reasons for absent values.
void redact(Launch& launch, const PrivateNames& names);

}  // namespace labreport
