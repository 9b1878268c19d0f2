// Words in a chart of memory over a step.
#pragma once

#include "experiments/memory_profiling/timeline_axes.h"
#include "experiments/memory_profiling/timeline_chart.h"

namespace labreport::memory_profiling {

/// How far the axes reach.
struct ChartFrame {
  ByteUnit unit;
  double last = 0;     ///< ms
  double highest = 0;  ///< In `unit`.
};
ChartFrame frame_of(const TimelineChart& chart);

/// A band a phase, named above the plot.
nlohmann::json phase_bands(const Timeline& timeline, const nlohmann::json& x);

/// The categories' names in the areas that are thick enough.
nlohmann::json category_names(const TimelineChart& chart, const ChartFrame& frame,
                              const nlohmann::json& x, const nlohmann::json& y);

/// Layers: the peak, numbered marks, the capacity, the early end.
nlohmann::json notes(const TimelineChart& chart, const ChartFrame& frame);

}  // namespace labreport::memory_profiling
