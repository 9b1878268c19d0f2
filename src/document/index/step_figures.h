// Makes the figures of the topics that divide training steps by kind of kernel, and compare them
// by precision.
#pragma once

#include <vector>

#include "document/index/topic_figures.h"

namespace labreport {

/// Draws each profiled training step as one bar by kind of kernel, a panel for each network.
TopicFigure kernels_figure(const Topic& topic, const std::vector<GpuRuns>& gpus);

/// Draws how much faster than FP32 each pass is that the GPU sets, a panel for each pass.
TopicFigure speedups_figure(const Topic& topic, const std::vector<GpuRuns>& gpus);

}  // namespace labreport
