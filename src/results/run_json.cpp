#include "results/run_json.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/messages.h"
#include "results/metric_names.h"
#include "results/run_check.h"
#include "results/run_json_keys.h"
#include "results/run_schema.h"

namespace labreport {
namespace {

struct Version {
  int major = -1;
  int minor = -1;
};

/// Of "1.10.0"; of what is no version nothing: the schema says so.
std::optional<Version> parse_version(std::string_view text) {
  Version version;
  const char* begin = text.data();
  const char* end = begin + text.size();
  for (int* part : {&version.major, &version.minor}) {
    const auto [stop, error] = std::from_chars(begin, end, *part);
    if (error != std::errc() || stop == end || *stop != '.') return std::nullopt;
    begin = stop + 1;
  }
  return version;
}

/// Refuses another major version; whether the minor one is newer than this program.
bool is_newer(const JsonReader& root, const std::string& origin) {
  const JsonReader written = root.at("schema_version");
  const std::optional<Version> version = parse_version(written.text());
  const Version known = parse_version(kSchemaVersion).value();
  if (!version) return false;
  if (version->major != known.major) {
    written.complain(fmt::format("this program reads version {}, the file is {}{}", kSchemaVersion,
                                 written.text(),
                                 version->major > known.major ? ": update labreport" : ""));
  }
  if (version->minor <= known.minor) return false;
  warn_once(fmt::format(
      "{}: version {} is newer than this program's {}: what is new in it is left out; update "
      "labreport",
      origin, written.text(), kSchemaVersion));
  return true;
}

/// Launches point at sessions and devices: an index beyond them would be read as another's.
void check_indices(const Run& run, const JsonReader& root) {
  const auto within = [](std::int64_t index, std::size_t count) {
    return index >= 0 && static_cast<std::size_t>(index) < count;
  };
  for (const Cell& cell : run.cells) {
    for (const Launch& launch : cell.launches) {
      if (!within(launch.session, run.sessions.size()) ||
          (launch.device && !within(*launch.device, run.devices.size()))) {
        root.at("cells").complain("'" + cell.id + "' names a session or device that is not there");
      }
    }
  }
}

/// Before version 1.7.0 the compiled rung of a ladder began with other weights than the rest.
void drop_incomparable_losses(Run& run) {
  for (Cell& cell : run.cells) {
    if (cell.spec.kind != CellKind::kLadder || cell.spec.implementation.empty()) continue;
    for (Launch& launch : cell.launches) {
      std::erase_if(launch.metrics, [](const Metric& m) { return m.tag == metric::kLosses; });
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
  const Unknown unknown = is_newer(root, origin) ? Unknown::kLetBe : Unknown::kRefused;
  Run run;
  read_json(root, run);
  for (JsonValue& cell : document.root.at("cells")) {
    for (JsonValue& launch : cell.at("launches")) leave_out_proven(launch);
  }
  validate_against_schema(root, SchemaPart::kRun, unknown);
  check_indices(run, root);
  check_run(run, origin, unknown);
  if (parse_version(root.at("schema_version").text())->minor < 7) drop_incomparable_losses(run);
  return run;
}

}  // namespace labreport
