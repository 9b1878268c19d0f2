// Every kind of measurement that this worker can make.
#pragma once

#include "results/run.h"

namespace labreport {

/// Measures `request` on a device that has been started; the outcome stays `Ok`, errors are
/// thrown.
using Measurement = Launch (*)(const LaunchRequest& request);

/// Throws `InputError` for a kind that this worker does not measure.
Measurement find_measurement(CellKind kind);

}  // namespace labreport
