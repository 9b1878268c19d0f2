// What `labreport noise` prints.
#pragma once

#include <string>
#include <vector>

#include "analysis/noise.h"
#include "results/run.h"

namespace labreport {

/// `noise` has one entry a cell, in the same order.
std::string noise_table(const std::vector<const Cell*>& cells, const Noise& noise,
                        const NoiseOptions& options);
std::string noise_json(const std::vector<const Cell*>& cells, const Noise& noise,
                       const NoiseOptions& options);

}  // namespace labreport
