// Makes the data of the figure that is made for a topic: attention's curves, steps by phase, …
#pragma once

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

TopicFigure topic_figure(const Topic& topic, const std::vector<GpuRuns>& gpus);

}  // namespace labreport
