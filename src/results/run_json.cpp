#include "results/run_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/messages.h"
#include "results/json_writer.h"
#include "results/parts_json.h"
#include "results/run_check.h"
#include "results/run_schema.h"

namespace labreport {
namespace {

Json session_to_json(const Session& session) {
  return {{"started_at", session.started_at},
          {"argv", session.argv},
          {"revision", session.revision},
          {"dirty", session.dirty},
          {"host", session.host},
          {"cpu", session.cpu},
          {"cores", session.cores},
          {"software", software_to_json(session.software)},
          {"environment", Json(session.environment)},
          {"seed", session.seed}};
}

Session session_from_json(const JsonReader& json) {
  Session session{.started_at = json.at("started_at").text(),
                  .argv = {},
                  .revision = json.at("revision").text(),
                  .dirty = json.at("dirty").boolean(),
                  .host = json.at("host").text(),
                  .cpu = json.at("cpu").text(),
                  .cores = json.at("cores").integer(),
                  .software = software_from_json(json.at("software")),
                  .environment = {},
                  .seed = json.at("seed").integer()};
  json.at("argv").each([&](const JsonReader& arg) { session.argv.push_back(arg.text()); });
  json.at("environment").each_member([&](const std::string& variable, const JsonReader& value) {
    session.environment[variable] = value.text();
  });
  return session;
}

Json cell_to_json(const Cell& cell) {
  Json launches = Json::array();
  for (const Launch& launch : cell.launches) launches.push_back(launch_to_json(launch));
  return {{"id", cell.id},
          {"kind", name(cell.spec.kind)},
          {"params", params_to_json(cell.spec)},
          {"launches", launches}};
}

Cell cell_from_json(const JsonReader& json) {
  const CellKind kind = parse_cell_kind(json.at("kind").text());
  Cell cell{json.at("id").text(), params_from_json(kind, json.at("params")), {}};
  if (cell.id != cell_id(cell.spec)) {
    json.at("id").expected("'" + cell_id(cell.spec) + "', which is what the parameters name");
  }
  json.at("launches").each([&](const JsonReader& launch) {
    cell.launches.push_back(launch_from_json(launch));
  });
  return cell;
}

Json noise_floor_to_json(const NoiseFloor& floor) {
  return {{"log_stddev", floor.log_stddev}, {"degrees", floor.degrees}, {"cells", floor.cells}};
}

NoiseFloor noise_floor_from_json(const JsonReader& json) {
  return {.log_stddev = json.at("log_stddev").real(),
          .degrees = json.at("degrees").integer(),
          .cells = json.at("cells").integer()};
}

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

/// Empties a list whose objects have no key besides those that reading them asks for: each of
/// their values has been proven then. Others stay, as the schema may refuse what nobody reads.
void leave_out_proven(JsonValue& list, rapidjson::SizeType keys) {
  const bool proven = std::ranges::all_of(
      list.GetArray(), [&](const JsonValue& part) { return part.MemberCount() == keys; });
  if (proven) list.Clear();
}

JsonValue& part(JsonValue& object, const char* key) { return object.FindMember(key)->value; }

/// Nearly all of a run is metrics and tables. Reading them has proven them to be what the schema
/// wants, so the validator, slow by comparison, gets the rest of the document alone.
void leave_out_proven(JsonDocument& read) {
  constexpr rapidjson::SizeType kMetric = 4;  // tag, name, unit, and value or samples
  constexpr rapidjson::SizeType kColumn = 2;  // name, unit
  for (JsonValue& cell : part(read, "cells").GetArray()) {
    for (JsonValue& launch : part(cell, "launches").GetArray()) {
      leave_out_proven(part(launch, "metrics"), kMetric);
      leave_out_proven(part(launch, "conditions"), kMetric);
      for (JsonValue& table : part(launch, "tables").GetArray()) {
        leave_out_proven(part(table, "columns"), kColumn);
        part(table, "rows").Clear();
      }
    }
  }
}

}  // namespace

std::string to_json(const Run& run) {
  Json sessions = Json::array();
  for (const Session& session : run.sessions) sessions.push_back(session_to_json(session));
  Json devices = Json::array();
  for (const Device& device : run.devices) devices.push_back(device_to_json(device));
  Json cells = Json::array();
  for (const Cell& cell : run.cells) cells.push_back(cell_to_json(cell));
  Json document{{"schema_version", kSchemaVersion},
                {"edition", run.edition},
                {"preset", run.preset},
                {"source", run.source},
                {"sessions", sessions},
                {"devices", devices},
                {"cells", cells}};
  if (run.noise_floor) document["noise_floor"] = noise_floor_to_json(*run.noise_floor);
  return write_json(document);
}

Run run_from_json(std::string_view text, const std::string& origin) {
  JsonDocument document = parse_json(text, origin);
  const JsonReader root(document, origin);
  const bool newer = is_newer(root, origin);
  Run run{.edition = root.at("edition").text(),
          .preset = root.at("preset").text(),
          .source = root.at("source").text(),
          .sessions = {},
          .devices = {},
          .cells = {}};
  root.at("sessions").each([&](const JsonReader& session) {
    run.sessions.push_back(session_from_json(session));
  });
  root.at("devices").each(
      [&](const JsonReader& device) { run.devices.push_back(device_from_json(device)); });
  root.at("cells").each([&](const JsonReader& cell) { run.cells.push_back(cell_from_json(cell)); },
                        kMostCells);
  if (const auto floor = root.maybe("noise_floor")) run.noise_floor = noise_floor_from_json(*floor);
  leave_out_proven(document);
  validate_against_schema(document, origin, newer ? UnknownKeys::kLetBe : UnknownKeys::kRefused);
  check_indices(run, root);
  check_run(run, origin, newer ? UnknownNames::kLetBe : UnknownNames::kRefused);
  return run;
}

}  // namespace labreport
