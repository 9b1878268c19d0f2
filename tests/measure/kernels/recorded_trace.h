// Reads a trace that was recorded on a GPU and trimmed: see tests/fixtures/trim_trace.py.
#pragma once

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.h"
#include "engine/trace_event.h"

namespace labreport {

inline TraceKind trace_kind(const std::string& category) {
  static const std::map<std::string, TraceKind> kinds{
      {"operator", TraceKind::kOperator}, {"range", TraceKind::kRange},
      {"backward", TraceKind::kBackward}, {"runtime", TraceKind::kRuntime},
      {"kernel", TraceKind::kKernel},     {"copy", TraceKind::kMemcpy},
      {"memset", TraceKind::kMemset},     {"overhead", TraceKind::kOverhead}};
  return kinds.at(category);
}

/// Returns the slices of a trace file; other entries are left out.
inline Trace parse_trace(const std::string& text) {
  Trace trace;
  const auto file = nlohmann::json::parse(text);
  for (const auto& line : file.at("traceEvents")) {
    if (line.at("ph") != "X") continue;
    const auto& args = line.at("args");
    const auto ns = [&](const char* key) {
      return std::llround(line.at(key).get<double>() * 1e3);  // from microseconds
    };
    TraceEvent event{trace_kind(line.at("cat")), line.at("name"), ns("ts"), ns("dur")};
    const auto track = line.at("tid").get<std::uint64_t>();
    if (on_device(event)) {
      event.stream = static_cast<std::int64_t>(track);
    } else {
      event.thread = track;
    }
    event.correlation = args.value("correlation", std::uint64_t{0});
    event.launched_by = args.value("launched by", std::uint64_t{0});
    event.sequence_number = args.value("sequence", std::int64_t{-1});
    trace.push_back(std::move(event));
  }
  return trace;
}

inline Trace read_recorded_trace(const std::string& name) {
  return parse_trace(
      read_file(std::string(LABREPORT_SOURCE_DIR) + "/tests/fixtures/traces/" + name + ".json"));
}

}  // namespace labreport
