// Writes all cells of a run as comma-separated values, one row for each launched process. A cell
// that was never launched has one row, whose outcome is "not measured".
//
// The columns have this order. A heading names the unit, which has no prefix: s, B, flop/s, Hz.
//   id, kind, device_kind … steps                 what the cell is: cell_columns() lists them
//   launch, session, hardware                     the launch's number in its cell (from 0), the
//                                                 session that started it, and its device
//   outcome                                       ok, oom, skipped, timeout, crashed, error,
//                                                 not measured
//   rank, phase, requested (B), in use (B), peak (B), limit (s), signal, message
//                                                 details of the outcome
//   wall (s), warnings                            the process's duration; warnings joined by "; "
//   <tag>.<name> (unit)                           a metric that is one value
//   <tag>.<name>.count, .mean, .stddev, .min, .median, .max (unit)
//                                                 a metric of samples: over the steps after the
//                                                 warm-up if each step has one, else over all
//   <tag>.<name>.last                             the last value of a running sum
#pragma once

#include <string>

#include "results/run.h"

namespace labreport {

/// A metric that no launch has gets no column; a value that a launch lacks is empty.
std::string cells_csv(const Run& run);

}  // namespace labreport
