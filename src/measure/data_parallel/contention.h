// Tells which kernels of a traced step run beside collectives, which slow them down.
#pragma once

#include "engine/trace_event.h"
#include "results/run.h"

namespace labreport {

/// Returns the table kContention of a traced step: a row for each kernel of a module's forward or
/// backward pass, by its place among those of its class, in which the Transformer's blocks are
/// added up. A kernel is beside a collective if one runs for some of its time, and alone otherwise.
/// The table has no rows on a CPU, whose trace has no kernels.
Table contention_table(const Trace& trace);

}  // namespace labreport
