// A traced step is drawn as two lanes of bars: computation and all-reduces. Bars cover short gaps
// between kernels, so hidden and exposed times are not taken from bars but from the trace.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// Makes two datasets for each network: "lanes" has the bars of all `schemes` that were traced, and
/// "lane-sums" sums of them. Several networks become variants. `words` ends the variants' names, so
/// that datasets differ if a report draws lanes twice.
std::vector<Dataset> lanes_of(const std::vector<Network>& networks,
                              std::initializer_list<Scheme> schemes, const std::string& words = "");

}  // namespace labreport::data_parallel
