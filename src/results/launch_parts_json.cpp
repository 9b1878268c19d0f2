// The part of parts_json.h that is about one launch: its outcome, metrics and tables.
#include <cmath>
#include <utility>

#include "results/parts_json.h"

namespace labreport {
namespace {

constexpr std::int64_t kMostSignal = 255;

Json scalar_to_json(const Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return nullptr;
        } else {
          return value;
        }
      },
      scalar);
}

Scalar scalar_from_json(const JsonReader& value) {
  const JsonValue& raw = value.raw();
  if (raw.IsNull()) return {};
  if (raw.IsBool()) return value.boolean();
  if (raw.IsString()) return value.text();
  if (is_integer(raw)) return value.integer();
  if (raw.IsNumber()) return value.real();
  value.expected("a number, a string, true, false or null");
}

Samples samples_from_json(const JsonReader& array) {
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  bool all_whole = true;
  whole.reserve(array.count());
  real.reserve(array.count());
  array.each([&](const JsonReader& sample) {
    all_whole = all_whole && is_integer(sample.raw());
    if (all_whole) whole.push_back(sample.integer());
    real.push_back(sample.real());
  });
  return all_whole ? Samples(std::move(whole)) : Samples(std::move(real));
}

Json metric_to_json(const Metric& metric) {
  Json json{{"tag", metric.tag}, {"name", metric.name}, {"unit", metric.unit}};
  if (const auto* samples = std::get_if<Samples>(&metric.data)) {
    json["samples"] = std::visit([](const auto& values) { return Json(values); }, *samples);
  } else {
    json["value"] = scalar_to_json(std::get<Scalar>(metric.data));
  }
  if (!metric.reason.empty()) json["reason"] = metric.reason;
  return json;
}

Metric metric_from_json(const JsonReader& json) {
  Metric metric{json.at("tag").text(kMostLabel), json.at("name").text(kMostLabel),
                json.at("unit").text(kMostLabel), Scalar(), ""};
  if (const auto samples = json.maybe("samples")) {
    metric.data = samples_from_json(*samples);
  } else {
    metric.data = scalar_from_json(json.at("value"));
  }
  if (const auto reason = json.maybe("reason")) metric.reason = reason->text();
  return metric;
}

Json table_to_json(const Table& table) {
  Json columns = Json::array();
  for (const TableColumn& column : table.columns) {
    columns.push_back({{"name", column.name}, {"unit", column.unit}});
  }
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json& cells = rows.emplace_back(Json::array());
    for (const Scalar& cell : row) cells.push_back(scalar_to_json(cell));
  }
  return {{"name", table.name}, {"columns", columns}, {"rows", rows}};
}

Table table_from_json(const JsonReader& json) {
  Table table{json.at("name").text(), {}, {}};
  json.at("columns").each([&](const JsonReader& column) {
    table.columns.push_back(
        {column.at("name").text(kMostLabel), column.at("unit").text(kMostLabel)});
  });
  const JsonReader rows = json.at("rows");
  table.rows.reserve(rows.count(kMostRows));
  rows.each(
      [&](const JsonReader& row) {
        auto& cells = table.rows.emplace_back();
        cells.reserve(row.count());
        row.each([&](const JsonReader& cell) { cells.push_back(scalar_from_json(cell)); });
        if (cells.size() != table.columns.size()) {
          row.expected("a row of " + std::to_string(table.columns.size()) + " values");
        }
      },
      kMostRows);
  return table;
}

struct OutcomeFields {
  Json& json;
  void operator()(const Ok&) const {}
  void operator()(const OutOfMemory& oom) const {
    json["phase"] = oom.phase;
    json["requested_bytes"] = optional_to_json(oom.requested_bytes);
    json["in_use_bytes"] = optional_to_json(oom.in_use_bytes);
    json["peak_bytes"] = optional_to_json(oom.peak_bytes);
  }
  void operator()(const Skipped& skipped) const { json["reason"] = skipped.reason; }
  void operator()(const TimedOut& timeout) const { json["limit_seconds"] = timeout.limit_seconds; }
  void operator()(const Crashed& crash) const {
    json["signal"] = crash.signal;
    json["message"] = crash.message;
  }
  void operator()(const Failed& failure) const { json["message"] = failure.message; }
};

Json outcome_to_json(const Outcome& outcome) {
  Json json{{"status", status_name(outcome)}};
  std::visit(OutcomeFields{json}, outcome);
  return json;
}

Outcome outcome_from_json(const JsonReader& json) {
  const std::string status = json.at("status").text();
  if (status == "ok") return Ok{};
  if (status == "oom") {
    return OutOfMemory{json.at("phase").text(), optional_integer(json, "requested_bytes"),
                       optional_integer(json, "in_use_bytes"),
                       optional_integer(json, "peak_bytes")};
  }
  if (status == "skipped") return Skipped{json.at("reason").text()};
  if (status == "timeout") return TimedOut{json.at("limit_seconds").real()};
  if (status == "crashed") {
    const std::int64_t signal = json.at("signal").integer();
    if (signal > kMostSignal) json.at("signal").expected("the number of a signal");
    return Crashed{static_cast<int>(signal), json.at("message").text()};
  }
  if (status == "error") return Failed{json.at("message").text()};
  json.at("status").expected("one of ok, oom, skipped, timeout, crashed, error");
}

template <typename Part, typename Write>
Json list_to_json(const std::vector<Part>& parts, Write write) {
  Json list = Json::array();
  for (const Part& part : parts) list.push_back(write(part));
  return list;
}

template <typename Part, typename Read>
void list_from_json(const JsonReader& list, std::vector<Part>& parts, Read read) {
  list.each([&](const JsonReader& part) { parts.push_back(read(part)); });
}

}  // namespace

Json launch_to_json(const Launch& launch) {
  return {{"session", launch.session},
          {"device", optional_to_json(launch.device)},
          {"outcome", outcome_to_json(launch.outcome)},
          {"wall_ns", launch.wall_ns},
          {"metrics", list_to_json(launch.metrics, metric_to_json)},
          {"tables", list_to_json(launch.tables, table_to_json)},
          {"conditions", list_to_json(launch.conditions, metric_to_json)},
          {"warnings", launch.warnings}};
}

Launch launch_from_json(const JsonReader& json) {
  Launch launch;
  launch.session = json.at("session").integer();
  launch.device = optional_integer(json, "device");
  launch.outcome = outcome_from_json(json.at("outcome"));
  launch.wall_ns = json.at("wall_ns").integer();
  list_from_json(json.at("metrics"), launch.metrics, metric_from_json);
  list_from_json(json.at("tables"), launch.tables, table_from_json);
  list_from_json(json.at("conditions"), launch.conditions, metric_from_json);
  json.at("warnings").each([&](const JsonReader& warning) {
    launch.warnings.push_back(warning.text());
  });
  return launch;
}

}  // namespace labreport
