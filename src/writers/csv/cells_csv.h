// All cells of a run as comma-separated values: a row a launch, wide but flat; a cell that was
// never launched has a row too.
//
// Columns, in this order; the unit stands in the head, an SI base unit (s, B, flop/s, Hz)
// throughout:
//   id, kind, device, size, implementation        what the cell is; `size` is a label; no
//                                                 implementation means labreport's network
//   d_model … vocab, context, batch               the network and its input
//   precision, mode, warmup, steps                how it ran
//   launch, session, hardware                     which process of the cell (from 0), on what
//   outcome, phase, requested (B), in use (B), peak (B), limit (s), signal, message
//                                                 ok, oom, skipped, timeout, crashed, error,
//                                                 not measured; details
//   wall (s), warnings                            the process's life; words joined by "; "
//   <tag>.<name> (unit)                           a metric that is one value
//   <tag>.<name>.count, .mean, .stddev, .min, .median, .max (unit)
//                                                 a metric of samples: over the counted steps if
//                                                 each step has a sample, else over all samples
//   <tag>.<name>.last                             the last value of a running sum
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// A metric that no launch has gets no column; a value that a launch lacks is empty.
std::string cells_csv(const Run& run);

}  // namespace labreport
