// Normalisations and one Transformer block, traced under autocast.
#pragma once

#include "measure/precision/dtype_table.h"

namespace labreport {

/// Layer and RMS normalisation given a 16-bit tensor, then each module of one pre-norm block.
void trace_network(Precision precision, DeviceKind kind, DtypeTable& table);

}  // namespace labreport
