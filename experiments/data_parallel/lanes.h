// The two lanes of a traced step: computation and all-reduces. Short gaps between kernels are
// closed in it, so what is hidden or exposed follows from the trace alone, not from these bars.
#pragma once

#include <initializer_list>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// For each network and each of those schemes of it that was traced a dataset "lanes" and the sums
/// of its bars, "lane-sums": scheme, and where there are several networks network, are variants.
std::vector<Dataset> lanes_of(const std::vector<Network>& networks,
                              std::initializer_list<Scheme> wanted);

}  // namespace labreport::data_parallel
