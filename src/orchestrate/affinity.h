// Which cells stay together on one device.
#pragma once

#include <string>

#include "results/cell.h"

namespace labreport {

/// The group of a cell, a slug: what is compared row by row, or planned by each other's results, is
/// in one. Timings are grouped by network and context, in all modes and precisions, the user's
/// model beside labreport's; profiles and memory by network, as their contexts are doubled.
std::string affinity_group(const CellSpec& spec);

}  // namespace labreport
