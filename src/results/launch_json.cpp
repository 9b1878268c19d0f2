// Converts the two files that the program and a worker exchange: the program's request and the
// worker's report.
#include "results/run_check.h"
#include "results/run_json.h"
#include "results/run_json_keys.h"

namespace labreport {
namespace {

template <typename File>
File parse_file(std::string_view text, const std::string& origin) {
  const JsonDocument document = parse_json(text, origin);
  File file;
  read_json(JsonReader(document), file);
  return file;
}

}  // namespace

std::string to_json(const LaunchRequest& request) { return write_json(request); }
std::string to_json(const LaunchReport& report) { return write_json(report); }

LaunchRequest request_from_json(std::string_view text, const std::string& origin) {
  return parse_file<LaunchRequest>(text, origin);
}

void read_description(ModelSource& source, std::string_view text, const std::string& origin) {
  const JsonDocument document = parse_json(text, origin);
  source.implementation = JsonReader(document).at("implementation").text(kMaxLabelBytes);
  if (source.step) read_json(JsonReader(document).at("step"), *source.step);
}

LaunchReport report_from_json(std::string_view text, const std::string& origin) {
  auto report = parse_file<LaunchReport>(text, origin);
  check_single_launch(report.body, {origin, "result"});
  return report;
}

}  // namespace labreport
