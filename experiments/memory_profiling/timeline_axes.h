// What every chart of memory over a step shares: its unit, its axes and the rows behind it.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>

#include "document/charts/charts.h"
#include "experiments/common/legend.h"
#include "experiments/memory_profiling/byte_cells.h"

namespace labreport::memory_profiling {

/// Categories in one row, above the names of the phases.
inline constexpr LegendLayout kCategoryLegend{.columns = 9, .offset = 36};

/// A coordinate with as many digits as a screen can show: figures lie inside the page.
inline double rounded(double value) { return std::round(value * 1e4) / 1e4; }

inline nlohmann::json memory_axis(const char* field, const ByteUnit& unit, double highest) {
  nlohmann::json y = linear_channel(field, "Memory", unit.name);
  y["scale"] = {{"domain", {0, highest}}, {"nice", false}};
  y["axis"] = {{"labelOverlap", true}, {"format", ",~r"}, {"tickCount", 6}};
  return y;
}

inline nlohmann::json plain_axis(const char* field, const char* title, const char* unit,
                                 double last) {
  nlohmann::json x = linear_channel(field, title, unit);
  x["scale"] = {{"domain", {0, last}}, {"nice", false}};
  x["axis"] = {{"labelOverlap", true}, {"format", ",~r"}};
  return x;
}

}  // namespace labreport::memory_profiling
