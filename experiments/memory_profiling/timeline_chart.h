// Memory over one step, stacked by category.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/memory_profiling/timeline.h"

namespace labreport::memory_profiling {

/// A numbered place on the curve, which words elsewhere explain.
struct Mark {
  int number;
  double event;
};

struct TimelineChart {
  Timeline timeline;
  double capacity = 0;  ///< Drawn where the curve comes near it; 0: not known.
  std::string peak_words;
  std::string end_words;  ///< What ended the step early; empty: nothing did.
  std::vector<Mark> marks;
};

/// Areas of requested bytes, a dashed line of allocated ones, phases as bands. Where the curve is
/// nearly flat, its moving part is drawn again below.
nlohmann::json timeline_chart(const TimelineChart& chart);

}  // namespace labreport::memory_profiling
