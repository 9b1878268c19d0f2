#include <fmt/format.h>

#include "measure/memory/files.h"

namespace labreport {
namespace {

constexpr double kNsPerUs = 1e3;

/// Writes one event of Chrome's JSON trace format. labreport's names need no escaping.
std::string counter_line(const MemoryTimeline& timeline, const MemoryInstant& instant) {
  std::string values;
  for (std::size_t i = 0; i < kMemoryCategories.size(); ++i) {
    if (!values.empty()) values += ',';
    values += fmt::format(R"("{}":{})", name(kMemoryCategories[i]), instant.requested_bytes[i]);
  }
  const double time_us = static_cast<double>(timeline.time_ns(instant)) / kNsPerUs;
  return fmt::format(R"({{"ph":"C","pid":0,"name":"requested bytes","ts":{:.3f},"args":{{{}}}}})",
                     time_us, values);
}

}  // namespace

std::string memory_counter(const MemoryTimeline& timeline) {
  struct PhaseInterval {
    std::string phase;
    std::int64_t start_ns = 0, end_ns = 0;
  };
  std::vector<PhaseInterval> phases;
  for (const MemoryInstant& instant : timeline.instants) {
    const MemoryOrigin* origin = timeline.origin(instant);
    if (origin == nullptr || origin->phase.empty()) continue;
    const std::int64_t time_ns = timeline.time_ns(instant);
    if (phases.empty() || phases.back().phase != origin->phase) {
      phases.push_back({origin->phase, time_ns, time_ns});
    }
    phases.back().end_ns = time_ns;
  }
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)";
  const char* separator = "\n";
  const auto add = [&](const std::string& line) {
    text += separator + line;
    separator = ",\n";
  };
  for (const auto& [phase, start_ns, end_ns] : phases) {
    add(fmt::format(R"({{"ph":"X","pid":0,"tid":0,"name":"{}","ts":{:.3f},"dur":{:.3f}}})", phase,
                    static_cast<double>(start_ns) / kNsPerUs,
                    static_cast<double>(end_ns - start_ns) / kNsPerUs));
  }
  for (const MemoryInstant& instant : timeline.instants) add(counter_line(timeline, instant));
  return text + "\n]}\n";
}

}  // namespace labreport
