#include "measure/kernels/trace_file.h"

#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "results/json_writer.h"

namespace labreport {
namespace {

constexpr double kMicrosecond = 1e3;
constexpr int kHost = 0;
constexpr int kDevice = 1;

const char* category(TraceKind kind) {
  switch (kind) {
    case TraceKind::kOperator:
      return "operator";
    case TraceKind::kRange:
      return "range";
    case TraceKind::kBackward:
      return "backward";
    case TraceKind::kRuntime:
      return "runtime";
    case TraceKind::kKernel:
      return "kernel";
    case TraceKind::kCopy:
      return "copy";
    case TraceKind::kSet:
      return "memset";
    case TraceKind::kOverhead:
      return "overhead";
  }
  return "";
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / kMicrosecond; }

/// Starts an event's JSON with its track: a host thread or a device stream.
nlohmann::ordered_json placed(const char* phase, const TraceEvent& event, std::int64_t at_ns) {
  const bool device = on_device(event);
  return {{"ph", phase},
          {"pid", device ? kDevice : kHost},
          {"tid", device ? event.stream : static_cast<std::int64_t>(event.thread)},
          {"ts", microseconds(at_ns)}};
}

nlohmann::ordered_json slice(const TraceEvent& event, const Attributed* kernel) {
  nlohmann::ordered_json line = placed("X", event, event.start_ns);
  line["dur"] = microseconds(event.duration_ns);
  line["cat"] = category(event.kind);
  line["name"] = event.name;
  nlohmann::ordered_json& args = line["args"];
  args = nlohmann::ordered_json::object();
  if (event.correlation != 0) args["correlation"] = event.correlation;
  if (event.linked != 0) args["launched by"] = event.linked;
  if (event.sequence >= 0) args["sequence"] = event.sequence;
  if (kernel == nullptr) return line;
  args["phase"] = kernel->phase;
  args["module"] = kernel->module;
  args["operation"] = kernel->operation;
  args["operator"] = kernel->op;
  return line;
}

nlohmann::ordered_json arrow(const char* phase, const TraceEvent& event, std::size_t number) {
  nlohmann::ordered_json line = placed(phase, event, event.start_ns);
  line["cat"] = "launch";
  line["name"] = "launch";
  line["id"] = number;
  if (*phase == 'f') line["bp"] = "e";  // the arrow ends at the enclosing slice
  return line;
}

nlohmann::ordered_json named(const char* what, int process, std::int64_t thread,
                             const std::string& name) {
  return {
      {"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", what}, {"args", {{"name", name}}}};
}

std::vector<nlohmann::ordered_json> labels(const Trace& trace) {
  std::vector<nlohmann::ordered_json> lines{named("process_name", kHost, 0, "host"),
                                            named("process_name", kDevice, 0, "device")};
  std::set<std::int64_t> streams;
  for (const TraceEvent& event : trace) {
    if (on_device(event) && streams.insert(event.stream).second) {
      lines.push_back(
          named("thread_name", kDevice, event.stream, "stream " + std::to_string(event.stream)));
    }
  }
  return lines;
}

class Lines {
 public:
  void add(const nlohmann::ordered_json& line) {
    text_ += separator_;
    text_ += compact_json(line);
    separator_ = ",\n";
  }
  std::string take() { return std::move(text_) + "\n]}\n"; }

 private:
  std::string text_ = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  const char* separator_ = "";
};

using ByCorrelation = std::unordered_map<std::uint64_t, const TraceEvent*>;

ByCorrelation operators(const Trace& trace) {
  ByCorrelation found;
  for (const TraceEvent& event : trace) {
    // Runtime calls number their correlations separately, so they must not be found here.
    const bool numbered = event.kind == TraceKind::kOperator || event.kind == TraceKind::kBackward;
    if (numbered && event.correlation != 0) found.emplace(event.correlation, &event);
  }
  return found;
}

}  // namespace

std::string chrome_trace(const Trace& trace, const std::vector<Attributed>& kernels) {
  std::unordered_map<const TraceEvent*, const Attributed*> placed_kernels;
  for (const Attributed& kernel : kernels) placed_kernels.emplace(kernel.activity, &kernel);
  const ByCorrelation launchers = operators(trace);
  Lines lines;
  for (const nlohmann::ordered_json& label : labels(trace)) lines.add(label);
  std::size_t arrows = 0;
  for (const TraceEvent& event : trace) {
    const auto kernel = placed_kernels.find(&event);
    lines.add(slice(event, kernel == placed_kernels.end() ? nullptr : kernel->second));
    const auto launcher = on_device(event) ? launchers.find(event.linked) : launchers.end();
    if (launcher == launchers.end()) continue;
    lines.add(arrow("s", *launcher->second, ++arrows));
    lines.add(arrow("f", event, arrows));
  }
  return lines.take();
}

}  // namespace labreport
