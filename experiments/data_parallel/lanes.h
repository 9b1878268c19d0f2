// The two lanes of a traced step: what was computed, and what was on its way, hidden or exposed.
#pragma once

#include <string>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// For each of the schemes that was traced a dataset "lanes" and the sums of its bars, "lane-sums",
/// the schemes being their variants.
std::vector<Dataset> lanes_of(const std::vector<const Trained*>& schemes);

}  // namespace labreport::data_parallel
