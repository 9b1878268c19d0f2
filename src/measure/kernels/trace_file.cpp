#include "measure/kernels/trace_file.h"

#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "base/table.h"
#include "results/json_writer.h"

namespace labreport {
namespace {

constexpr double kNsPerMicrosecond = 1e3;
constexpr int kHostProcess = 0, kDeviceProcess = 1;

constexpr Names<TraceKind, 8> kCategories{{{TraceKind::kOperator, "operator"},
                                           {TraceKind::kRange, "range"},
                                           {TraceKind::kBackward, "backward"},
                                           {TraceKind::kRuntime, "runtime"},
                                           {TraceKind::kKernel, "kernel"},
                                           {TraceKind::kMemcpy, "copy"},
                                           {TraceKind::kMemset, "memset"},
                                           {TraceKind::kOverhead, "overhead"}}};

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / kNsPerMicrosecond; }

/// Returns the members that slices and arrows share; "tid" is a host thread or a device stream.
nlohmann::ordered_json event_line(const char* type, const TraceEvent& event) {
  const bool is_device = on_device(event);
  return {{"ph", type},
          {"pid", is_device ? kDeviceProcess : kHostProcess},
          {"tid", is_device ? event.stream : static_cast<std::int64_t>(event.thread)},
          {"ts", microseconds(event.start_ns)}};
}

nlohmann::ordered_json slice_json(const TraceEvent& event, const Attribution* attribution) {
  nlohmann::ordered_json line = event_line("X", event);
  line["dur"] = microseconds(event.duration_ns);
  line["cat"] = name_in(kCategories, event.kind);
  line["name"] = event.name;
  nlohmann::ordered_json& args = line["args"];
  args = nlohmann::ordered_json::object();
  if (event.correlation != 0) args["correlation"] = event.correlation;
  if (event.launched_by != 0) args["launched by"] = event.launched_by;
  if (event.sequence_number >= 0) args["sequence"] = event.sequence_number;
  if (attribution == nullptr) return line;
  args["phase"] = attribution->phase;
  args["module"] = attribution->module;
  args["operation"] = attribution->outer_op;
  args["operator"] = attribution->inner_op;
  return line;
}

nlohmann::ordered_json arrow_json(const char* type, const TraceEvent& event, std::size_t number) {
  nlohmann::ordered_json line = event_line(type, event);
  line["cat"] = "launch";
  line["name"] = "launch";
  line["id"] = number;
  if (*type == 'f') line["bp"] = "e";  // the arrow ends at the enclosing slice
  return line;
}

nlohmann::ordered_json name_track(const char* metadata, int pid, std::int64_t tid,
                                  const std::string& name) {
  return {{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", metadata}, {"args", {{"name", name}}}};
}

std::vector<nlohmann::ordered_json> track_labels(const Trace& trace) {
  std::vector<nlohmann::ordered_json> lines{
      name_track("process_name", kHostProcess, 0, "host"),
      name_track("process_name", kDeviceProcess, 0, "device")};
  std::set<std::int64_t> streams;
  for (const TraceEvent& event : trace) {
    if (on_device(event) && streams.insert(event.stream).second) {
      lines.push_back(name_track("thread_name", kDeviceProcess, event.stream,
                                 "stream " + std::to_string(event.stream)));
    }
  }
  return lines;
}

class TraceEventLines {
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

using OperatorsByCorrelation = std::unordered_map<std::uint64_t, const TraceEvent*>;

OperatorsByCorrelation operators_by_correlation(const Trace& trace) {
  OperatorsByCorrelation found;
  for (const TraceEvent& event : trace) {
    // Runtime calls number their correlations separately, so they must not be found here.
    const bool is_operator =
        event.kind == TraceKind::kOperator || event.kind == TraceKind::kBackward;
    if (is_operator && event.correlation != 0) found.emplace(event.correlation, &event);
  }
  return found;
}

}  // namespace

std::string chrome_trace(const Trace& trace, const std::vector<Attribution>& attributions) {
  std::unordered_map<const TraceEvent*, const Attribution*> by_activity;
  for (const Attribution& kernel : attributions) by_activity.emplace(kernel.activity, &kernel);
  const OperatorsByCorrelation launchers = operators_by_correlation(trace);
  TraceEventLines lines;
  for (const nlohmann::ordered_json& label : track_labels(trace)) lines.add(label);
  std::size_t arrow_count = 0;
  for (const TraceEvent& event : trace) {
    const auto attribution = by_activity.find(&event);
    lines.add(slice_json(event, attribution == by_activity.end() ? nullptr : attribution->second));
    const auto launcher = on_device(event) ? launchers.find(event.launched_by) : launchers.end();
    if (launcher == launchers.end()) continue;
    lines.add(arrow_json("s", *launcher->second, ++arrow_count));
    lines.add(arrow_json("f", event, arrow_count));
  }
  return lines.take();
}

}  // namespace labreport
