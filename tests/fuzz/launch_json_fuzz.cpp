// Tries a launch's file of cells/, and the request and result files of a worker. Each is refused in
// one line, or read, written and read again the same.
#include "fuzz/target.h"
#include "results/launch_file.h"
#include "results/run_json.h"
#include "results/sample.h"

namespace labreport::fuzz {

void merge_launch(std::string_view text) {
  static const Run sample = testing_samples::sample_run();
  Run run = sample;
  if (!accepted([&] { merge_launch_file(run, text, "launch.json"); })) return;
  const std::string written = to_json(run);
  promise(to_json(run_from_json(written, "run.json")) == written,
          "a merged run is one that can be read");
}

void read_request(std::string_view text) {
  LaunchRequest request;
  if (!accepted([&] { request = request_from_json(text, "request.json"); })) return;
  const std::string written = to_json(request);
  promise(to_json(request_from_json(written, "request.json")) == written, "a request is kept");
}

void read_report(std::string_view text) {
  LaunchReport report;
  if (!accepted([&] { report = report_from_json(text, "result.json"); })) return;
  const std::string written = to_json(report);
  promise(to_json(report_from_json(written, "result.json")) == written, "a report is kept");
}

}  // namespace labreport::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = labreport::fuzz::text_of(data, size);
  labreport::fuzz::merge_launch(text);
  labreport::fuzz::read_request(text);
  labreport::fuzz::read_report(text);
  return 0;
}
