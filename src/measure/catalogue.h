// Every kind of measurement that this worker can make.
#pragma once

#include "results/run.h"

namespace labreport {

/// Measures `request` on a device that has been started. Errors are thrown and the outcome stays
/// `Ok`, unless a kind can still tell something of a step that ran out of memory.
using Measurement = Launch (*)(const LaunchRequest& request);

/// Throws `InputError` for a kind that this worker does not measure.
Measurement find_measurement(CellKind kind);

}  // namespace labreport
