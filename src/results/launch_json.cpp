// The two files of the process boundary: a worker's request and its report.
#include "results/json_writer.h"
#include "results/parts_json.h"
#include "results/run_json.h"

namespace labreport {

std::string to_json(const LaunchRequest& request) {
  return write_json({{"kind", name(request.spec.kind)},
                     {"params", params_to_json(request.spec)},
                     {"launch", request.launch},
                     {"seed", request.seed},
                     {"artifacts", request.artifacts}});
}

LaunchRequest request_from_json(std::string_view text, const std::string& origin) {
  const JsonDocument document = parse_json(text, origin);
  const JsonReader root(document, origin);
  const CellKind kind = parse_cell_kind(root.at("kind").text());
  const auto artifacts = root.maybe("artifacts");
  return {.spec = params_from_json(kind, root.at("params")),
          .launch = root.at("launch").integer(),
          .seed = root.at("seed").integer(),
          .artifacts = artifacts ? artifacts->text() : ""};
}

std::string to_json(const LaunchReport& report) {
  return write_json({{"id", report.cell_id},
                     {"launch", report.launch},
                     {"software", software_to_json(report.software)},
                     {"device", device_to_json(report.device)},
                     {"result", launch_to_json(report.body)}});
}

LaunchReport report_from_json(std::string_view text, const std::string& origin) {
  const JsonDocument document = parse_json(text, origin);
  const JsonReader root(document, origin);
  return {.cell_id = root.at("id").text(),
          .launch = root.at("launch").integer(),
          .software = software_from_json(root.at("software")),
          .device = device_from_json(root.at("device")),
          .body = launch_from_json(root.at("result"))};
}

}  // namespace labreport
