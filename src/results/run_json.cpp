#include "results/run_json.h"

#include <fmt/format.h>

#include "base/messages.h"
#include "base/text.h"
#include "results/run_check.h"
#include "results/run_json_keys.h"

namespace labreport {
namespace {

constexpr const char* kLastRevisionForVersion1 = "e1040cb5";

/// Both return −1 if there is no number.
int major_of(std::string_view version) { return leading_number<int>(version).value_or(-1); }
int minor_of(std::string_view version) { return major_of(version.substr(version.find('.') + 1)); }

/// Returns true, and warns, if the minor version is newer than this program's. Throws `InputError`
/// for another major version.
bool has_newer_minor_version(const JsonReader& root, const std::string& origin) {
  const JsonReader version = root.at("schema_version");
  std::string text = version.text();
  if (major_of(text) == 1) {
    version.throw_error(
        fmt::format("this program reads version {}, the file is {}", kSchemaVersion, text),
        fmt::format("revision {} of labreport reads it", kLastRevisionForVersion1));
  }
  if (major_of(text) > major_of(kSchemaVersion)) {
    version.throw_error(fmt::format(
        "this program reads version {}, the file is {}: update labreport", kSchemaVersion, text));
  }
  read_json(version, text, kVersionBounds);
  if (minor_of(text) <= minor_of(kSchemaVersion)) return false;
  warn_once(fmt::format(
      "{}: version {} is newer than this program's {}: what is new in it is left out; update "
      "labreport",
      origin, text, kSchemaVersion));
  return true;
}

/// Refuses a launch whose index of a session or device is out of range.
void check_indices(const Run& run, const JsonReader& root) {
  const auto within = [](std::int64_t index, std::size_t count) {
    return index >= 0 && static_cast<std::size_t>(index) < count;
  };
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      if (!within(launch.session, run.sessions.size()) ||
          (launch.device && !within(*launch.device, run.devices.size()))) {
        root.at("cells").throw_error("'" + cell.id +
                                     "' names a session or device that is not there");
      }
    }
  }
}

}  // namespace

std::string to_json(const Run& run) {
  Json document{{"schema_version", kSchemaVersion}};
  write_members(document, run);
  return write_json(document);
}

Run run_from_json(std::string_view text, const std::string& origin) {
  JsonDocument document = parse_json(text, origin);
  const JsonReader root(document);
  if (has_newer_minor_version(root, origin)) document.unknown_names = UnknownNames::kIgnored;
  Run run;
  read_struct(root, run, "schema_version");
  check_indices(run, root);
  check_run(run, origin, document.unknown_names);
  return run;
}

}  // namespace labreport
