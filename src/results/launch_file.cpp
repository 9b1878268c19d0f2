#include "results/launch_file.h"

#include <algorithm>

#include "results/json_writer.h"
#include "results/launch_check.h"
#include "results/parts_json.h"

namespace labreport {

std::string launch_file_to_json(const Run& run, const Cell& cell, std::int64_t launch) {
  const Launch& body = cell.launches.at(static_cast<std::size_t>(launch));
  Json device = nullptr;
  if (body.device) device = device_to_json(run.devices.at(static_cast<std::size_t>(*body.device)));
  return write_json({{"id", cell.id},
                     {"kind", name(cell.spec.kind)},
                     {"params", params_to_json(cell.spec)},
                     {"launch", launch},
                     {"device", device},
                     {"result", launch_to_json(body)}});
}

void merge_launch_file(Run& run, std::string_view text, const std::string& origin) {
  const JsonDocument document = parse_json(text, origin);
  const JsonReader root(document, origin);
  const CellKind kind = parse_cell_kind(root.at("kind").text());
  const auto number = static_cast<std::size_t>(root.at("launch").integer());
  Launch launch = launch_from_json(root.at("result"));
  std::optional<Device> device;
  if (const auto json = root.maybe("device")) device = device_from_json(*json);
  const CellSpec spec = params_from_json(kind, root.at("params"));
  check_launch(spec, launch, device, origin);
  launch.device.reset();  // an index into another list
  if (launch.session < 0 || static_cast<std::size_t>(launch.session) >= run.sessions.size()) {
    root.at("result").at("session").expected("the index of one of the run's sessions");
  }
  if (device) launch.device = find_or_add_device(run, *device);
  Cell& cell = run.find_or_add(spec);
  if (number > cell.launches.size()) root.at("launch").expected("the number of the next launch");
  if (number == cell.launches.size()) cell.launches.push_back(std::move(launch));
}

std::int64_t find_or_add_device(Run& run, const Device& device) {
  const auto found = std::find(run.devices.begin(), run.devices.end(), device);
  if (found != run.devices.end()) return found - run.devices.begin();
  run.devices.push_back(device);
  return static_cast<std::int64_t>(run.devices.size()) - 1;
}

bool is_whole(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  return last != text.npos && text[last] == '}';
}

}  // namespace labreport
