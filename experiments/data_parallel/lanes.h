// The two lanes of a traced step: computation and all-reduces. Short gaps between kernels are
// closed in it, so what is hidden or exposed follows from the trace alone, not from these bars.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// For each network a dataset "lanes" of those schemes that were traced and the sums of their bars,
/// "lane-sums"; several networks are variants. `words` end the titles where a report draws twice.
std::vector<Dataset> lanes_of(const std::vector<Network>& networks,
                              std::initializer_list<Scheme> wanted, const std::string& words = "");

}  // namespace labreport::data_parallel
