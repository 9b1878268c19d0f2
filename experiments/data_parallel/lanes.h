// The two lanes of a traced step are computation and all-reduces. They close short gaps between
// kernels, so hidden and exposed time comes from the trace and not from these bars.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// Makes two datasets for each network: "lanes", with each of the schemes that was traced, and
/// "lane-sums", the sums of their bars. Several networks become variants. `words` is the end of a
/// variant's name, which keeps the datasets apart if a report draws lanes twice.
std::vector<Dataset> lanes_of(const std::vector<Network>& networks,
                              std::initializer_list<Scheme> schemes, const std::string& words = "");

}  // namespace labreport::data_parallel
