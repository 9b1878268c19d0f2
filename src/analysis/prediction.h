// What a device's own limits say of a row.
#pragma once

#include "analysis/comparison.h"

namespace labreport {

/// The row's work over its time, as shares of what the run measured of its device.
void add_shares(const CellSpec& spec, Measure measure, const Limits& limits, RowSide& side);

/// Time that GEMMs or memory bandwidth alone set goes with the inverse of the measured rates.
Prediction predict(const ComparedRow& row, const Limits& a, const Limits& b);

}  // namespace labreport
