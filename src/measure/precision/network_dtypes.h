// A network, traced under autocast.
#pragma once

#include "measure/precision/dtype_table.h"
#include "model/network.h"
#include "model/training_step.h"

namespace labreport {

/// Layer and RMS normalization given a 16-bit tensor, then each module of one pre-norm block.
void trace_network(Precision precision, DeviceKind kind, DtypeTable& table);

/// A training step of `network` on `batch`: parameters, what each module returns, logits, loss,
/// gradients, optimizer. Tensors of layers that are alike make one row.
void trace_step(const Network& network, const Batch& batch, Precision precision, DeviceKind kind,
                DtypeTable& table);

}  // namespace labreport
