#include "results/run_json_keys.h"

#include "results/metric_names.h"

namespace labreport {
namespace {

Samples samples_from_json(const JsonReader& array) {
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  bool all_whole = true;
  whole.reserve(array.count());
  real.reserve(array.count());
  array.each([&](const JsonReader& sample) {
    all_whole = all_whole && sample.raw().is_number_integer();
    if (all_whole) whole.push_back(sample.integer());
    real.push_back(sample.real());
  });
  return all_whole ? Samples(std::move(whole)) : Samples(std::move(real));
}

/// Whether that alternative has the status; then it is read.
template <typename Alternative>
bool read_as(const JsonReader& json, const std::string& status, Outcome& outcome) {
  outcome = Alternative();
  if (status_name(outcome) != status) return false;
  read_json(json, std::get<Alternative>(outcome));
  return true;
}

template <typename... Alternatives>
bool read_as_any(const JsonReader& json, const std::string& status,
                 std::variant<Alternatives...>& outcome) {
  return (read_as<Alternatives>(json, status, outcome) || ...);
}

}  // namespace

void write_into(Json& object, const std::variant<Scalar, Samples>& data) {
  if (const auto* samples = std::get_if<Samples>(&data)) {
    object["samples"] = std::visit([](const auto& values) { return Json(values); }, *samples);
  } else {
    object["value"] = std::get<Scalar>(data);
  }
}

void read_from(const JsonReader& object, std::variant<Scalar, Samples>& data) {
  if (const auto samples = object.maybe("samples")) {
    data = samples_from_json(*samples);
  } else {
    read_json(object.at("value"), data.emplace<Scalar>());
  }
}

void read_json(const JsonReader& json, Scalar& value, std::size_t /*most*/) {
  const JsonValue& raw = json.raw();
  if (raw.is_structured()) json.expected("a number, a string, true, false or null");
  if (raw.is_boolean()) value = json.boolean();
  if (raw.is_string()) value = json.text();
  if (raw.is_number_integer()) value = json.integer();
  if (raw.is_number_float()) value = json.real();
}

void write_into(Json& params, const std::optional<ModelShape>& model) {
  if (model) write_members(params, *model);
}

void read_from(const JsonReader& params, std::optional<ModelShape>& model) {
  if (params.maybe("d_model")) read_json(params, model.emplace());
}

void write_into(Json& params, const std::optional<AttentionSweep>& sweep) {
  if (sweep) write_members(params, *sweep);
}

void read_from(const JsonReader& params, std::optional<AttentionSweep>& sweep) {
  if (params.maybe("method")) read_json(params, sweep.emplace());
}

void write_into(Json& params, const std::optional<Ranks>& ranks) {
  if (ranks) write_members(params, *ranks);
}

void read_from(const JsonReader& params, std::optional<Ranks>& ranks) {
  if (params.maybe("ranks")) read_json(params, ranks.emplace());
}

void write_into(Json& object, const CellSpec& spec) {
  object["kind"] = name(spec.kind);
  object["params"] = spec;
}

void read_from(const JsonReader& object, CellSpec& spec) {
  read_json(object.at("kind"), spec.kind);
  read_json(object.at("params"), spec);
}

void check_read(const JsonReader& params, const CellSpec& spec) {
  if (!is_countable(spec)) params.complain("its tensors have more bytes than can be counted");
}

void to_json(Json& object, const Outcome& outcome) {
  object = {{"status", status_name(outcome)}};
  std::visit([&](const auto& details) { write_members(object, details); }, outcome);
}

void read_json(const JsonReader& json, Outcome& outcome, std::size_t /*most*/) {
  const JsonReader status = json.at("status");
  if (read_as_any(json, status.text(), outcome)) return;
  status.expected("one of ok, oom, skipped, timeout, crashed, error");
}

void check_read(const JsonReader& json, const Table& table) {
  const std::size_t width = table.columns.size();
  const std::size_t most = table.name == metric::kGpuTrace ? kMostTraced : kMostRows;
  json.at("rows").each(
      [&](const JsonReader& row) {
        if (row.count() != width) row.expected("a row of " + std::to_string(width) + " values");
      },
      most);
}

void check_read(const JsonReader& json, const Cell& cell) {
  if (cell.id == cell_id(cell.spec)) return;
  json.at("id").expected("'" + cell_id(cell.spec) + "', which is what the parameters name");
}

}  // namespace labreport

void nlohmann::adl_serializer<labreport::Scalar>::to_json(labreport::Json& json,
                                                          const labreport::Scalar& value) {
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          json = nullptr;
        } else {
          json = held;
        }
      },
      value);
}
