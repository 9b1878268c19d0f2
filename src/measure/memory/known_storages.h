// The storages that the program knows, by what they are.
#pragma once

#include "measure/memory/lifetimes.h"
#include "model/training_step.h"

namespace labreport {

/// Parameters, their gradients, optimizer states, the batch, tables and workspace, as of now.
KnownStorages known_storages(const Network& network, const Batch& batch, const TrainingStep& step,
                             DeviceKind device);

}  // namespace labreport
