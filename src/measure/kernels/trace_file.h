// A trace in the format that Perfetto and chrome://tracing open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measure/kernels/attribution.h"

namespace labreport {

/// Chrome's JSON trace format, one event a line: the host's threads, the device's streams, and an
/// arrow from each operator to what it launched. `kernels` are those of `trace`. Nothing that
/// `attribute` needs is lost.
std::string chrome_trace(const Trace& trace, const std::vector<Attributed>& kernels);

}  // namespace labreport
