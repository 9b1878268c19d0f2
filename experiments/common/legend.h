// A key above a chart, for colours that mean no phase or precision.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace labreport {

/// Labels in the order in which they come.
void add_once(std::vector<std::string>& labels, const std::string& label);

/// How the key lies above the plot: labels in a row, pixels to the plot.
struct LegendLayout {
  int columns = 4;
  int offset = 8;
};

/// The colours of `field`, whose values are `labels`, with their key.
nlohmann::json legend_colour(const char* field, const std::vector<std::string>& labels,
                             const LegendLayout& layout);

}  // namespace labreport
