// Kind `data_parallel`: one training step on several ranks, each with its share of the batch.
#pragma once

#include "results/run.h"

namespace labreport {

/// First checks that the cell's scheme trains as one process would; then times steps, all ranks
/// beginning together, by each rank's own clock; then traces one more. The ranks gather their
/// numbers, and rank 0's launch has all; the others' have conditions alone. Throws `InputError`
/// where a parameter is missing, `Error` where training would differ.
Launch measure_data_parallel(const LaunchRequest& request);

}  // namespace labreport
