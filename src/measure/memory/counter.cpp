#include <fmt/format.h>

#include "measure/memory/files.h"

namespace labreport {
namespace {

constexpr double kNanosecondsPerMicrosecond = 1e3;

/// Writes one event of Chrome's JSON trace format. labreport's names need no escaping.
std::string counter_line(const MemoryTimeline& timeline, const MemoryInstant& instant) {
  std::string values;
  for (std::size_t i = 0; i < kMemoryCategories.size(); ++i) {
    if (!values.empty()) values += ',';
    values += fmt::format(R"("{}":{})", name(kMemoryCategories[i]), instant.requested[i]);
  }
  const double at = static_cast<double>(timeline.time_ns(instant)) / kNanosecondsPerMicrosecond;
  return fmt::format(R"({{"ph":"C","pid":0,"name":"requested bytes","ts":{:.3f},"args":{{{}}}}})",
                     at, values);
}

std::string phase_line(const std::string& phase, std::int64_t start_ns, std::int64_t end_ns) {
  return fmt::format(R"({{"ph":"X","pid":0,"tid":0,"name":"{}","ts":{:.3f},"dur":{:.3f}}})", phase,
                     static_cast<double>(start_ns) / kNanosecondsPerMicrosecond,
                     static_cast<double>(end_ns - start_ns) / kNanosecondsPerMicrosecond);
}

struct CounterStretch {
  std::string phase;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// Returns the interval of each phase, from its first event to its last.
std::vector<CounterStretch> stretches(const MemoryTimeline& timeline) {
  std::vector<CounterStretch> found;
  for (const MemoryInstant& instant : timeline.instants) {
    const MemoryOrigin* origin = timeline.origin(instant);
    if (origin == nullptr || origin->phase.empty()) continue;
    const std::int64_t now = timeline.time_ns(instant);
    if (found.empty() || found.back().phase != origin->phase) {
      found.push_back({origin->phase, now, now});
    }
    found.back().end_ns = now;
  }
  return found;
}

}  // namespace

std::string memory_counter(const MemoryTimeline& timeline) {
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)";
  const char* separator = "\n";
  const auto add = [&](const std::string& line) {
    text += separator + line;
    separator = ",\n";
  };
  for (const auto& [phase, start, end] : stretches(timeline)) add(phase_line(phase, start, end));
  for (const MemoryInstant& instant : timeline.instants) add(counter_line(timeline, instant));
  return text + "\n]}\n";
}

}  // namespace labreport
