// Peaks as bars under the device's capacity.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "document/charts/chart_forms.h"

namespace labreport::memory_profiling {

struct PeakBar {
  std::string group;   ///< "512"
  std::string series;  ///< "train step"
  double bytes = 0;
};

/// A bar that is missing, and why.
struct PeakGap {
  std::string group;
  std::string series;
  std::string reason;
};

struct PeakChart {
  std::string rows;  ///< What groups are: "Context"
  std::vector<PeakBar> bars;
  std::vector<std::string> series;  ///< In the order of the lanes.
  std::vector<PeakGap> gaps;
  double capacity = 0;  ///< 0: not known.
};

/// A row a group, a lane a series.
nlohmann::json peak_chart(const PeakChart& chart);

/// What the caption says of the capacity where the chart leaves it out: where even the largest bar
/// is so small beside it that bars under it could not be seen. Empty where it is drawn or unknown.
std::string capacity_words(const PeakChart& chart);

/// Bars ranked by their order, each with words beside it.
struct RankedBar {
  std::string label;
  double value = 0;
  std::string text;
  std::string short_text;  ///< On a phone.
  std::string kind;        ///< What the colour says.
};
nlohmann::json ranked_chart(const Quantity& quantity, const std::vector<RankedBar>& bars);

}  // namespace labreport::memory_profiling
