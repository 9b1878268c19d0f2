// Removes the names of people, machines and folders from the texts that a run stores.
#pragma once

#include "base/redaction.h"
#include "results/run.h"

namespace labreport {

/// Redacts the values in `argv`, the request, the texts of the model and the values of environment
/// variables. The program, the verb and the names of flags stay. In values of flags that do not
/// name a folder, host and user are replaced only inside paths and addresses, because a value such
/// as "small" may equal the host's name by chance.
void redact(Session& session, const PrivateNames& names);

/// Redacts the texts that come from the worker: its last output, its warnings and its reasons for
/// absent values.
void redact(Launch& launch, const PrivateNames& names);

}  // namespace labreport
