// A figure draws a traced step as two lanes of bars: computation and all-reduces. A bar covers
// short gaps between kernels, so hidden and exposed times are not computed from bars.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "document/dataset.h"
#include "experiments/data_parallel/schemes.h"

namespace labreport::data_parallel {

/// Makes two datasets for each network: "lanes" has the bars of `schemes` whose trace is used,
/// and "lane-sums" has the sums of their lengths. Several networks become variants of the datasets.
/// `variant_suffix` ends a variant's name; it tells two drawings of lanes in one report apart.
std::vector<Dataset> lane_datasets(const MeasuredNetworks& networks,
                                   std::initializer_list<Scheme> schemes,
                                   const std::string& variant_suffix = "");

}  // namespace labreport::data_parallel
