// Declares the presenter of part (d): gradients in buckets.
#pragma once

#include "experiments/data_parallel/schemes.h"
#include "experiments/experiment.h"

namespace labreport::data_parallel {

PartContent present_buckets(const RunView& view, const MeasuredNetworks& networks);

}  // namespace labreport::data_parallel
