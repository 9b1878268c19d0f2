// Makes the data of the figure that is made for a topic: attention's curves, steps by phase, …
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/dataset.h"
#include "document/facts.h"
#include "document/index/gpus.h"
#include "document/summary.h"

namespace labreport {

/// The path from a topic's page to the site's root.
inline constexpr const char* kTopicToRoot = "../../";

/// The data of a topic's own figures, which are among those in topic.md, and the facts of their
/// words. No dataset has rows if the topic has no figure of its own, or nothing to draw.
struct TopicFigure {
  std::vector<Dataset> data = {};
  Facts facts = {};
  /// True if the figures show all numbers of their data as text, so that no table repeats them.
  bool labels_all_numbers = false;
};

/// Returns all series of a topic in one unit, a list for each GPU.
std::vector<std::vector<Series>> series_in(const Topic& topic, const std::vector<GpuRuns>& gpus,
                                           const std::string& unit);

/// Returns the values of a series that the CPU does not set, by name, and a missing one for each
/// name for which memory did not suffice.
std::vector<std::pair<std::string, Value>> curve_values(const Series& series);

/// Returns the data and words of the topic's own figures.
TopicFigure topic_figure(const Topic& topic, const std::vector<GpuRuns>& gpus);

}  // namespace labreport
