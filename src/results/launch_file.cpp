#include "results/launch_file.h"

#include <algorithm>

#include "results/run_check.h"
#include "results/run_json_keys.h"

namespace labreport {

/// The content of a file in cells/. `launch` is the number of the launch in its cell.
struct LaunchFile {
  std::string id;
  CellSpec spec;
  std::int64_t launch = 0;
  std::optional<Device> device;
  Launch body;
};

template <>
inline constexpr auto kMembers<LaunchFile> =
    std::tuple(member("id", &LaunchFile::id), flattened(&LaunchFile::spec),
               member("launch", &LaunchFile::launch), member("device", &LaunchFile::device),
               member("result", &LaunchFile::body));

std::string launch_file_to_json(const Run& run, const Cell& cell, std::int64_t launch) {
  LaunchFile file{cell.id, cell.spec, launch, std::nullopt,
                  cell.launches.at(static_cast<std::size_t>(launch))};
  if (file.body.device) file.device = run.devices.at(static_cast<std::size_t>(*file.body.device));
  return write_json(file);
}

std::size_t merge_launch_file(Run& run, std::string_view text, const std::string& origin) {
  const JsonDocument document = parse_json(text, origin);
  const JsonReader root(document);
  LaunchFile file;
  read_json(root, file);
  check_single_launch(file.body, {origin, "result"});
  check_params(file.spec, {origin, "params"});
  if (static_cast<std::size_t>(file.body.session) >= run.sessions.size()) {
    root.at("result").at("session").throw_expected("the index of one of the run's sessions");
  }
  const Cell* cell = run.find(cell_id(file.spec));
  const std::size_t next_number = cell == nullptr ? 0 : cell->launches.size();
  const auto number = static_cast<std::size_t>(file.launch);
  if (number > next_number) root.at("launch").throw_expected("the number of the next launch");
  if (number < next_number) return document.value_count;
  file.body.device.reset();  // The index refers to the device list of the run that wrote the file.
  if (file.device) file.body.device = find_or_add_device(run, *file.device);
  run.find_or_add(file.spec).launches.push_back(std::move(file.body));
  return document.value_count;
}

std::int64_t find_or_add_device(Run& run, const Device& device) {
  const auto found = std::find(run.devices.begin(), run.devices.end(), device);
  if (found != run.devices.end()) return found - run.devices.begin();
  run.devices.push_back(device);
  return static_cast<std::int64_t>(run.devices.size()) - 1;
}

bool ends_with_brace(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  return last != text.npos && text[last] == '}';
}

}  // namespace labreport
