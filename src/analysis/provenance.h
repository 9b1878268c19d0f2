// Where imported numbers stood before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace labreport {

/// What the cells say under `name` (metric::kTitle, kSource), each text once, in the cells' order.
std::vector<std::string> provenance(const Run& run, std::string_view name);

}  // namespace labreport
