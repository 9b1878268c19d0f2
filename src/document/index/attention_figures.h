// Makes the figures of the topics about attention: each implementation's time and memory over the
// length of the sequence.
#pragma once

#include <vector>

#include "document/index/topic_figures.h"

namespace labreport {

/// Draws the time of each implementation on each GPU, a panel for each precision, and for two GPUs
/// how many times as fast one of them is.
TopicFigure attention_figure(const Topic& topic, const std::vector<GpuRuns>& gpus);

/// Draws the bytes that each implementation keeps for backward, a panel for each precision and
/// batch.
TopicFigure attention_bytes_figure(const Topic& topic, const std::vector<GpuRuns>& gpus);

}  // namespace labreport
