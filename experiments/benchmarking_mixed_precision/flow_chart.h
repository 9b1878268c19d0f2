// A network's modules from top to bottom, with dtypes on the arrows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/benchmarking_mixed_precision/traced.h"

namespace labreport::benchmarking_mixed_precision {

/// Modules and, between two neighbours, what passes: one arrow less than modules.
struct Flow {
  std::string title;
  std::vector<std::string> modules;
  std::vector<std::string> arrows;
};

Flow flow_of(const Traced& traced, std::string_view precision, const std::string& title);

/// Flows side by side.
nlohmann::json flow_chart(const std::vector<Flow>& flows);

}  // namespace labreport::benchmarking_mixed_precision
