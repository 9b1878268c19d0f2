// Writes a trace in the format of Perfetto and chrome://tracing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measure/kernels/attribution.h"

namespace labreport {

/// Returns Chrome's JSON trace format, one event on a line: host threads, device streams, and an
/// arrow from each operator to the activity that it launched. `attributions` is the result of
/// `attribute(trace)`. The text keeps everything that `attribute` needs.
std::string chrome_trace(const Trace& trace, const std::vector<Attribution>& attributions);

}  // namespace labreport
